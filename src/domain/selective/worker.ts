/** Whose work is meant: a session of an agent, or one of ours, by its id or a part of it. */
import { Failure } from "../failure.ts";
import { nearestNames } from "../nearest-name.ts";

export interface Worker {
  readonly id: string;
  /** Null: a session of Waymark. */
  readonly agent: string | null;
  /** When it was last heard of. */
  readonly lastAt: string;
}

/** Shorter parts of an id name somebody by accident. */
const SHORTEST = 4;
const MOST_LISTED = 8;

export function selectWorker(text: string, workers: readonly Worker[]): Worker {
  const exact = workers.find(({ id }) => id === text);
  if (exact !== undefined) return exact;
  const latest = workers.toSorted((left, right) => (left.lastAt < right.lastAt ? 1 : -1));
  const partly = text.length < SHORTEST ? [] : latest.filter(({ id }) => id.includes(text));
  const [only] = partly;
  if (only === undefined) throw notFound(text, latest);
  if (partly.length === 1) return only;
  throw new Failure(
    "ambiguous_selector",
    `"${text}" is ambiguous: it matches ${partly.length} sessions`,
    {
      hint: `Use a longer part of the id: ${listed(partly)}. Nothing was changed.`,
      details: { candidates: partly.map(({ id }) => id) },
    },
  );
}

function notFound(text: string, latest: readonly Worker[]): Failure {
  const what = `no record of a session ${text} in this work tree`;
  if (latest.length === 0) {
    return new Failure("session_not_found", what, {
      hint:
        "There is no record of who changed what: no agent hook has run here, and no session was started. `waymark hooks install` " +
        "records the changes of agents from now on. Existing changes can only be rolled back together: `waymark rollback SEL`, with --paths for some files. " +
        "Nothing was changed.",
      details: { candidates: [] },
    });
  }
  const near = nearestNames(
    text,
    latest.map(({ id }) => id),
  );
  const found = latest.filter(({ id }) => near.length === 0 || near.includes(id));
  const short =
    text.length < SHORTEST ? ` A part of an id needs at least ${SHORTEST} characters.` : "";
  return new Failure("session_not_found", what, {
    hint: `Known here: ${listed(found)}.${short} Nothing was changed.`,
    details: { candidates: latest.slice(0, MOST_LISTED).map(({ id }) => id) },
  });
}

function listed(workers: readonly Worker[]): string {
  const shown = workers
    .slice(0, MOST_LISTED)
    .map(({ id, agent }) => (agent === null ? id : `${id} (${agent})`));
  return `${shown.join(", ")}${workers.length > MOST_LISTED ? ", …" : ""}`;
}
