/** What the observer of a workflow can say: at a breakpoint, and with `waymark observe` from another terminal. */
import { nearestName } from "../nearest-name.ts";

/** What it is carried out with. */
export type ObserverCommand =
  /** For whoever runs the session, as it was written. */
  | { readonly kind: "control"; readonly text: string }
  | { readonly kind: "list" }
  | { readonly kind: "show"; readonly selector: string }
  | { readonly kind: "diff"; readonly from: string; readonly to: string | undefined }
  | { readonly kind: "rollback"; readonly selector: string }
  /** Undefined: the one that the last rollback failed to reach. */
  | { readonly kind: "force"; readonly selector: string | undefined }
  | { readonly kind: "validate" }
  | { readonly kind: "export" }
  | { readonly kind: "rebuild"; readonly selector: string }
  /** Undefined: the last valid one. */
  | { readonly kind: "manual"; readonly selector: string | undefined }
  | { readonly kind: "sessions" }
  | { readonly kind: "session"; readonly id: string | undefined }
  | { readonly kind: "resume"; readonly id: string | undefined }
  | { readonly kind: "abandon"; readonly id: string }
  | { readonly kind: "cleanup" }
  | { readonly kind: "help" }
  | { readonly kind: "exit" }
  | { readonly kind: "wrong"; readonly problem: string; readonly hint: string };

interface Form {
  readonly name: string;
  /** How many values it takes after colons. */
  readonly takes: readonly number[];
  /** As help shows them. */
  readonly values: string;
  readonly text: string;
  readonly make: (values: readonly string[], line: string) => ObserverCommand;
}

const CONTROL = (_values: readonly string[], line: string): ObserverCommand => ({
  kind: "control",
  text: line,
});

const LIST: Pick<Form, "takes" | "values" | "make"> = {
  takes: [0],
  values: "",
  make: () => ({ kind: "list" }),
};

const FORMS: readonly Form[] = [
  {
    name: "continue",
    takes: [0],
    values: "",
    text: "continue (or press Enter)",
    make: CONTROL,
  },
  { name: "pause", takes: [0], values: "", text: "pause the session", make: CONTROL },
  { name: "skip", takes: [0], values: "", text: "skip the phase", make: CONTROL },
  {
    name: "skip-to",
    takes: [1],
    values: ":N",
    text: "skip all phases before N",
    make: CONTROL,
  },
  {
    name: "abort",
    takes: [0],
    values: "",
    text: "stop running nodes; the session is interrupted and can be resumed",
    make: CONTROL,
  },
  {
    name: "retry-cp",
    takes: [0],
    values: "",
    text: "retry the checkpoint that failed",
    make: CONTROL,
  },
  {
    name: "skip-cp",
    takes: [0],
    values: "",
    text: "continue without the checkpoint (risky: no rollback to this point)",
    make: CONTROL,
  },
  { name: "checkpoints", ...LIST, text: "list the checkpoints" },
  { name: "cp-list", ...LIST, text: "same as *checkpoints" },
  {
    name: "cp-show",
    takes: [1],
    values: ":N",
    text: "show a checkpoint",
    make: ([selector = ""]) => ({ kind: "show", selector }),
  },
  {
    name: "cp-diff",
    takes: [1, 2],
    values: ":N or :A:B",
    text: "show the differences from N to now, or from A to B",
    make: ([from = "", to]) => ({ kind: "diff", from, to }),
  },
  {
    name: "rollback",
    takes: [1],
    values: ":N or :cp-ID",
    text: "roll back to a checkpoint",
    make: ([selector = ""]) => ({ kind: "rollback", selector }),
  },
  {
    name: "rollback-force",
    takes: [0, 1],
    values: "",
    text: "retry the failed rollback, dropping commits and ignoring expiry; also :N",
    make: ([selector]) => ({ kind: "force", selector }),
  },
  {
    name: "manual-restore",
    takes: [0, 1],
    values: "",
    text: "print the commands to restore it with plain git; also :N",
    make: ([selector]) => ({ kind: "manual", selector }),
  },
  {
    name: "cp-validate",
    takes: [0],
    values: "",
    text: "check every checkpoint",
    make: () => ({ kind: "validate" }),
  },
  {
    name: "cp-export",
    takes: [0],
    values: "",
    text: "export the checkpoints",
    make: () => ({ kind: "export" }),
  },
  {
    name: "cp-rebuild",
    takes: [1],
    values: ":N",
    text: "repair a damaged checkpoint",
    make: ([selector = ""]) => ({ kind: "rebuild", selector }),
  },
  {
    name: "sessions",
    takes: [0],
    values: "",
    text: "list the sessions",
    make: () => ({ kind: "sessions" }),
  },
  {
    name: "session-info",
    takes: [0, 1],
    values: "[:ID]",
    text: "show a session",
    make: ([id]) => ({ kind: "session", id }),
  },
  {
    name: "resume",
    takes: [0, 1],
    values: "[:ID]",
    text: "continue a session",
    make: ([id]) => ({ kind: "resume", id }),
  },
  {
    name: "abandon",
    takes: [1],
    values: ":ID",
    text: "abandon a session",
    make: ([id = ""]) => ({ kind: "abandon", id }),
  },
  {
    name: "cleanup",
    takes: [0],
    values: "",
    text: "remove checkpoints that retention does not keep",
    make: () => ({ kind: "cleanup" }),
  },
  {
    name: "help",
    takes: [0],
    values: "",
    text: "list the commands",
    make: () => ({ kind: "help" }),
  },
  {
    name: "exit",
    takes: [0],
    values: "",
    text: "leave this prompt",
    make: () => ({ kind: "exit" }),
  },
];

const NAMES = FORMS.map(({ name }) => name);

/** One line of the observer. The asterisk may be left out. */
export function parseObserver(text: string): ObserverCommand {
  const line = text.trim();
  if (line === "") return { kind: "control", text: "*continue" };
  const [name = "", ...rest] = line.replace(/^\*/, "").split(":");
  const form = FORMS.find((known) => known.name === name.toLowerCase());
  if (form === undefined) return unknown(name);
  const values = joinSelectors(rest).map((value) => value.trim());
  if (form.takes.includes(values.length) && values.every((value) => value !== "")) {
    return form.make(values, `*${[form.name, ...values].join(":")}`);
  }
  return {
    kind: "wrong",
    problem: `usage: *${form.name}${form.values}`,
    hint: "*help shows all commands.",
  };
}

/** `phase:implement` and `session:ID/4` are one value. */
function joinSelectors(words: readonly string[]): string[] {
  const values: string[] = [];
  for (const word of words) {
    const last = values.at(-1);
    if (last === "phase" || last === "session") values[values.length - 1] = `${last}:${word}`;
    else values.push(word);
  }
  return values;
}

function unknown(name: string): ObserverCommand {
  const nearest = nearestName(name, NAMES);
  return {
    kind: "wrong",
    problem: `unknown command *${name}`,
    hint: nearest === undefined ? "*help shows all commands." : `Did you mean *${nearest}?`,
  };
}

/** For help, in the order of the table. */
export function observerHelp(): { readonly command: string; readonly text: string }[] {
  return FORMS.map(({ name, values, text }) => ({ command: `*${name}${values}`, text }));
}

/** The command line of a shell as the observer says it; what it cannot say stays as it is. */
export function inObserverWords(command: string): string {
  return command
    .replace(/^waymark rebuild (\S+)$/, "*cp-rebuild:$1")
    .replace(/^waymark rollback (\S+)$/, "*rollback:$1");
}
