/** Checks that an open project can answer: what was interrupted, what is damaged, whether a checkpoint could be taken now. */
import { damageOf } from "../domain/damage-record.ts";
import { counted } from "../domain/counted.ts";
import { exactTime } from "../domain/exact-time.ts";
import { asFailure } from "../domain/system-error.ts";
import type { ResolvedConfig } from "../domain/config-resolution.ts";
import type { Exclusion } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { outOfSightHint, outOfSightText } from "../domain/out-of-sight.ts";
import { fine, problem, warning, type Finding } from "../domain/health.ts";
import type { SessionDocument } from "../domain/session.ts";
import { leaseStanding } from "../domain/workflow/lease.ts";
import type { HealthCheck } from "../ports/health-check.ts";
import type { WaitingTree } from "../ports/isolated-work-trees.ts";
import { findOrphans } from "./find-orphans.ts";
import { removeLeftOver } from "./isolated-trees.ts";
import { killedGuardText } from "./killed-guards.ts";
import type { Project } from "./project.ts";
import { recover } from "./recover.ts";
import { viewSessions } from "./session-view.ts";
import { problemWith, whereItsWorkIs, type RemovedTree } from "./removed-tree.ts";

export function projectChecks(project: Project): HealthCheck[] {
  return [
    rollbackCheck(project),
    guardCheck(project),
    { name: "checkpoints", look: () => checkpoints(project) },
    { name: "journal", look: () => journal(project), fix: () => repairSessions(project) },
    { name: "sessions", look: () => abandonedByOwner(project) },
    workTreesCheck(project),
    { name: "cleanup", look: () => [lastCleanup(project)] },
    { name: "copies", look: () => copies(project) },
    { name: "capture", look: () => capture(project) },
  ];
}

export function configCheck(inspect: () => Promise<ResolvedConfig>): HealthCheck {
  return {
    name: "config",
    look: async () => {
      const { problems, warnings, notes, files } = await inspect();
      const hint = "`waymark config` shows every setting and where it comes from.";
      const found = [
        ...problems.map(({ message }) => problem(message, hint)),
        ...warnings.map((message) => warning(message, hint)),
      ];
      const from = files.length === 0 ? "no settings file" : `settings from ${files.join(", ")}`;
      return [...(found.length > 0 ? found : [fine(from)]), ...notes.map((note) => fine(note))];
    },
  };
}

function rollbackCheck(project: Project): HealthCheck {
  return {
    name: "rollback",
    look: () => {
      const unfinished = project.restorer.unfinished();
      if (unfinished === undefined) return [fine("no rollback was interrupted")];
      if (unfinished.owner.mayBeAtWork) {
        return [problem(outOfSightText(unfinished), outOfSightHint(unfinished))];
      }
      return [
        {
          ...problem(
            `a rollback to ${unfinished.targetId || "a checkpoint"} was interrupted at ${unfinished.since}`,
            "`waymark doctor --fix` or `waymark recover` finishes or reverts it.",
          ),
          fixable: true,
        },
      ];
    },
    fix: async () => {
      await recover(project);
    },
  };
}

function guardCheck({ guards }: Project): HealthCheck {
  return {
    name: "guard",
    look: () => {
      const killed = guards.killed();
      if (killed.length === 0) return [fine("no guard was killed")];
      const hint = "Roll back, or keep the present state; `waymark doctor --fix` dismisses this.";
      return killed.map((mark) => ({ ...warning(killedGuardText(mark), hint), fixable: true }));
    },
    fix: () => {
      for (const { checkpointId } of guards.killed()) guards.forget(checkpointId);
    },
  };
}

/** Work trees of nodes that a killed run left, or that could not be read when their batch was over. */
function workTreesCheck(project: Project): HealthCheck {
  let removed: readonly RemovedTree[] = [];
  const whyStill = (id: string): string => {
    const tried = removed.find(({ tree }) => tree.id === id);
    const why = tried === undefined ? undefined : problemWith(tried);
    return why === undefined ? "" : `: ${why}`;
  };
  return {
    name: "work_trees",
    look: async () => {
      const waiting = await project.isolated.waiting();
      const gone = removed.flatMap((one) => whereItsWorkIs(one) ?? []).map((said) => fine(said));
      if (waiting.length === 0) {
        return gone.length > 0 ? gone : [fine("no work trees left by workflow nodes")];
      }
      const left = waiting.map((tree) =>
        tree.foreignRecord === undefined
          ? {
              ...warning(
                `the work tree of ${tree.name} (session ${tree.sessionId}) is still in ${tree.path}${whyStill(tree.id)}`,
                hintFor(tree),
              ),
              fixable: true,
            }
          : warning(
              `a record of a work tree names ${tree.path}, which is not a work tree of this repository`,
              `The folder was not touched. The record may have come with a copied .git: delete ${tree.foreignRecord}.`,
            ),
      );
      return [...gone, ...left];
    },
    fix: async () => {
      removed = await removeLeftOver(project);
    },
  };
}

function hintFor({ isWhole }: WaitingTree): string {
  return isWhole
    ? "`waymark doctor --fix` creates a checkpoint of it and removes it. If it is still there afterwards, copy what you need, then delete the folder."
    : "It is incomplete and contains no work of a node. `waymark doctor --fix` removes it without a checkpoint.";
}

function lastCleanup({ cleanupLog, config }: Project): Finding {
  if (!config.retention.autoCleanup)
    return fine("automatic cleanup is off (retention.auto_cleanup)");
  const last = cleanupLog.read();
  if (last === undefined || last.outcome === "waiting") return fine("no cleanup has run yet");
  if (last.outcome !== "failed") return fine(`the last cleanup was at ${exactTime(last.at)}`);
  return warning(
    `the cleanup at ${exactTime(last.at)} failed: ${last.error ?? "for an unknown reason"}`,
    "`waymark cleanup` tries again and reports the cause.",
  );
}

const MOST_NAMED = 5;

async function checkpoints(project: Project): Promise<Finding[]> {
  const { stored, sessions } = await viewSessions(project, undefined);
  const found: Finding[] = [];
  for (const checkpoint of stored) {
    if (checkpoint.kind === "damaged") {
      found.push(
        problem(
          `checkpoint ${checkpoint.id} is damaged: ${checkpoint.problem}`,
          "`waymark validate` checks every object; `waymark help recovery` describes what can be recovered.",
        ),
      );
    } else if (checkpoint.kind === "newer") {
      const what = `checkpoint ${checkpoint.id} was written by a newer Waymark (format ${checkpoint.version})`;
      found.push(warning(what, "Update Waymark to use it."));
    } else {
      const known = damageOf(sessions, checkpoint.document)?.problems[0];
      if (known === undefined) continue;
      found.push(
        problem(
          `checkpoint ${checkpoint.id} is damaged: ${known}`,
          `\`waymark rebuild ${checkpoint.id}\` may repair it.`,
        ),
      );
    }
  }
  const whole = stored.filter(({ kind }) => kind === "ok").length;
  return [
    fine(
      `the ${whole === 1 ? "document" : "documents"} of ${whole} ${whole === 1 ? "checkpoint" : "checkpoints"} can be read (\`waymark validate\` reads every object)`,
    ),
    ...found.slice(0, MOST_NAMED),
    ...(found.length > MOST_NAMED
      ? [problem(`and ${found.length - MOST_NAMED} more cannot`, "`waymark validate` names all.")]
      : []),
  ];
}

/** What was left behind. */
async function copies(project: Project): Promise<Finding[]> {
  const orphans = await findOrphans(project);
  if (orphans.length === 0) return [fine("every local half belongs to a checkpoint")];
  const hint = "They are under refs/waymark/local/; `waymark cleanup` removes them.";
  return [{ ...warning("local halves of checkpoints that no longer exist", hint), items: orphans }];
}

async function journal(project: Project): Promise<Finding[]> {
  const { sessions, unreadable } = await project.sessions.listAll();
  return [
    fine(`${sessions.length} ${sessions.length === 1 ? "session" : "sessions"} can be read`),
    ...unreadable.map((failure) =>
      failure.code === "checkpoint_newer"
        ? warning(failure.message, failure.hint)
        : { ...problem(failure.message, failure.hint), fixable: true },
    ),
    ...(await project.sessions.leftStandIns()).map((name) => ({
      ...warning(
        `session ${name} is readable again, but lacks what was recorded meanwhile`,
        "`waymark doctor --fix` merges the two.",
      ),
      fixable: true,
    })),
  ];
}

async function repairSessions({ sessions }: Project): Promise<void> {
  const { unreadable } = await sessions.listAll();
  const damaged = unreadable.filter(({ code }) => code === "session_damaged");
  const names = damaged.map(({ details }) => String(details["session"]));
  for (const name of [...names, ...(await sessions.leftStandIns())]) await sessions.repair(name);
}

/** Sessions whose process ended without a word: a crash, `kill -9`, a power cut. */
async function abandonedByOwner(project: Project): Promise<Finding[]> {
  const stored = await project.sessions.list();
  const found = stored
    .map(({ document }) => document)
    .filter((session) => session.status === "active" && lostOwner(project, session) !== undefined)
    .map((session) =>
      warning(
        `session ${session.id} is active, but the process that ran it no longer exists (${lostOwner(project, session) ?? "?"})`,
        `\`waymark resume ${session.id}\` continues it, \`waymark session show ${session.id}\` shows its progress.`,
      ),
    );
  return found.length === 0 ? [fine("no session lost its process")] : found;
}

/** Which process that was; undefined: nobody runs it, or whoever does lives. */
function lostOwner(project: Project, { lease }: SessionDocument): string | undefined {
  if (lease === undefined || lease.holder === null) return undefined;
  const { holder, purpose } = lease;
  const isDead = leaseStanding(lease, project.liveness.lifeOf(holder)) === "dead";
  return isDead ? `${purpose ?? "run"}, process ${holder.pid} on ${holder.host}` : undefined;
}

/** The best check of all: does everything that a checkpoint does but publish it. */
async function capture(project: Project): Promise<Finding[]> {
  let taken;
  try {
    taken = await project.workTree.capture({ policy: project.policy });
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure)) throw error;
    const hint = failure.hint ?? "Fix this, then run `waymark doctor` again.";
    return [problem(`no checkpoint can be created: ${failure.message}`, hint)];
  }
  const { coverage, details } = taken;
  taken.discard();
  const found = [
    ...leftOut(
      details.excluded,
      "unreadable",
      "files that cannot be read",
      "Make them readable for your user.",
    ),
    ...leftOut(
      details.excluded,
      "over_budget",
      "files that are too large for checkpoints",
      "Raise capture.max_file_mb to capture them.",
    ),
  ];
  return [fine(`a checkpoint can be created (${counted(coverage.files, "file")})`), ...found];
}

function leftOut(
  excluded: readonly Exclusion[],
  reason: Exclusion["reason"],
  what: string,
  hint: string,
): Finding[] {
  const paths = excluded.filter((each) => each.reason === reason).map(({ path }) => path);
  if (paths.length === 0) return [];
  return [{ ...warning(what, hint), items: paths }];
}
