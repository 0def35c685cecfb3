/** What a rollback writes down before it begins, as one that is not alive any more left it. */
import { hostname } from "node:os";

type Intent = Readonly<Record<string, unknown>> & {
  readonly rollback_id: string;
  readonly target_id: string | undefined;
  readonly safety_id: string | null | undefined;
  readonly staging: string;
};

const NOTHING_TO_DO = { files: [], modes: [], folders: [] };

export function deadIntent(given: Intent): object {
  return {
    version: 1,
    owner: { host: hostname(), boot: "another", pid: 1, started: "1" },
    since: new Date().toISOString(),
    phase: "applying",
    lock: { dev: "1", ino: "1" },
    steps: NOTHING_TO_DO,
    head: null,
    refs: [],
    new_index: null,
    changes_index: false,
    safety_index: null,
    ...given,
  };
}

/** The steps of one that exchanges one file with permissions 0644. */
export function oneFile(path: string, before: string, target: string): object {
  const content = (oid: string): object => ({ type: "file", oid, mode: 0o644 });
  const step = { area: "project", path, before: content(before), target: content(target) };
  return { ...NOTHING_TO_DO, files: [{ ...step, number: 0 }] };
}
