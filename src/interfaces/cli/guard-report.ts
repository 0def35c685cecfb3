/** What a guard says while it runs, and what came of it. */
import { redactCommand, redactWords } from "../../domain/secrets/redact.ts";
import { endOf } from "../../domain/guard.ts";
import type { GuardedCommands } from "../../operations/documents/guard-document.ts";
import type {
  AttemptChanges,
  GuardAttempt,
  GuardEvent,
  GuardResult,
} from "../../operations/guard.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import { signalText } from "../../operations/stop-wish.ts";
import { branchesOf, notRestoredLines } from "./rollback-report.ts";
import type { Output } from "./output.ts";
import { oneLine } from "./printable.ts";
import { counted } from "./units.ts";
import { wayBack } from "./way-back.ts";

export class GuardTalk {
  readonly #output: Output;
  readonly #commands: GuardedCommands;
  readonly #attempts: number;

  constructor(output: Output, commands: GuardedCommands, attempts: number) {
    this.#output = output;
    this.#commands = commands;
    this.#attempts = attempts;
  }

  tell(event: GuardEvent): void {
    switch (event.kind) {
      case "checkpoint":
        this.#say(`checkpoint ${event.checkpoint.id}`);
        break;
      case "act":
        this.#say(`running${this.#numbered(event.attempt)}: ${shownCommand(this.#commands.act)}`);
        break;
      case "verify":
        this.#say(this.#check(event.index));
        break;
      case "verified":
        this.#say(
          `${this.#check(event.index)}: ` +
            (event.report.ok ? "ok" : `failed (${endOf(event.report)})`),
        );
        break;
      case "interrupted":
        this.#say(
          event.isWaiting
            ? "interrupted, waiting for the command to end; press Ctrl+C again to end it now"
            : `${signalText(event.signal)}: ending the command`,
        );
        break;
      case "held_off":
        this.#say(`${signalText(event.signal)}: rolling back first; repeat to stop`);
        break;
      case "left_overs":
        this.#say(`ended ${counted(event.count, "process", "processes")} that were still running`);
        break;
      case "failed":
        this.#sayFailed(event.attempt);
        break;
    }
  }

  /** The last one is told at the end. */
  #sayFailed({ attempt, act, rollback, unchanged }: GuardAttempt): void {
    if (attempt === this.#attempts || (rollback ?? unchanged) === null) return;
    if (!act.ok) this.#say(`the command failed (${endOf(act)})`);
    this.#say(
      rollback === null
        ? `attempt ${attempt} changed nothing that the checkpoint contains`
        : `rolled back; attempt ${attempt} is in ${rollback.safety.id}`,
    );
  }

  #check(index: number): string {
    const { verify } = this.#commands;
    return `verify ${index + 1}/${verify.length}: ${oneLine(redactCommand(verify[index] ?? ""))}`;
  }

  #numbered(attempt: number): string {
    return this.#attempts === 1 ? "" : ` (attempt ${attempt}/${this.#attempts})`;
  }

  #say(line: string): void {
    this.#output.say(`guard: ${line}`);
  }
}

/** As a shell would take it, without secrets. */
function shownCommand(words: readonly string[]): string {
  const quoted = redactWords(words).map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  );
  return oneLine(quoted.join(" "));
}

const MOST_NOT_RESTORED = 10;

/** What came of it, and the ways on from here. */
export function guardLines(
  result: GuardResult,
  commands: GuardedCommands,
  output: Output,
): string[] {
  const { passed, checkpoint, attempts, interruptedBy } = result;
  const paint = output.paintTalk;
  const last = attempts.at(-1);
  if (last === undefined) return [];
  const changed = changesText(last.changes);
  if (passed) {
    if (output.options.quiet) return [];
    return [`${paint("green", "passed")}: ${changed}`, `  ${wayBack(checkpoint.restore_command)}`];
  }
  const what =
    interruptedBy === null
      ? `${paint("red", "failed")}: ${failedStep(last, commands)}`
      : `${paint("red", "interrupted")} by ${signalText(interruptedBy)}`;
  const notRestored = (plan: RollbackPlan): string[] =>
    notRestoredLines(plan, { paint, most: MOST_NOT_RESTORED });
  if (last.unchanged !== null) {
    const { plan } = last.unchanged;
    return [
      what,
      "nothing to roll back: the command changed nothing that the checkpoint contains",
      ...notRestored(plan),
    ];
  }
  if (last.rollback === null) {
    return [
      `${what}; nothing was rolled back; kept: ${changed}`,
      `  ${wayBack(checkpoint.restore_command)}`,
    ];
  }
  const { safety, plan, verification } = last.rollback;
  const but = verification.match ? "" : ", except files that other programs saved meanwhile";
  return [
    what,
    `${paint("green", "rolled back")} to ${checkpoint.id}${but}; undone: ${changed}`,
    ...(plan.leaving.length === 0
      ? []
      : [
          `  ${counted(plan.leaving.length, "commit")} dropped from ${branchesOf(plan)} (kept in ${safety.id})`,
        ]),
    ...notRestored(plan),
    `  the attempt is in ${safety.id}`,
    `  inspect it with: waymark diff ${checkpoint.id} ${safety.id}`,
    `  restore it with: ${paint("bold", "waymark undo")}`,
  ];
}

function failedStep({ act, verify }: GuardAttempt, commands: GuardedCommands): string {
  const index = verify.findIndex(({ ok, skipped }) => !ok && !skipped);
  const report = verify[index];
  return report === undefined
    ? `${shownCommand(commands.act)} (${endOf(act)})`
    : `${oneLine(redactCommand(commands.verify[index] ?? ""))} (${endOf(report)})`;
}

function changesText(changes: AttemptChanges | null): string {
  if (changes === null) return "the changes could not be determined";
  const { created, modified, deleted } = changes;
  const parts = [
    [created.length, "created"],
    [modified.length, "modified"],
    [deleted.length, "deleted"],
  ] as const;
  const [first, ...others] = parts.filter(([count]) => count > 0);
  if (first === undefined) return "no file was changed";
  return [
    `${counted(first[0], "file")} ${first[1]}`,
    ...others.map(([count, what]) => `${count} ${what}`),
  ].join(", ");
}
