/** Writes planned changes: all of them, or none. What is remembered about a file is on the disk before the file is changed. */
import type { FileRecord } from "../../domain/agents/install-record.ts";
import type { AgentSetup } from "./agent-setup.ts";
import { recordOf, type FileChange } from "./file-change.ts";

interface Done {
  readonly change: FileChange;
  readonly earlier: FileRecord | undefined;
  readonly made: readonly string[];
}

/** Gives back what takes all of it back. */
export function applyChanges(setup: AgentSetup, changes: readonly FileChange[]): () => void {
  const done: Done[] = [];
  const takeBack = (): void => {
    for (const each of done.toReversed()) undo(setup, each);
  };
  try {
    for (const change of changes) {
      const step = {
        change,
        earlier: recordOf(setup, change),
        made: setup.files.missingFolders(change.path),
      };
      if (change.record !== null) setup.records(change.scope).save(change.record);
      try {
        put(setup, change);
      } catch (error) {
        remember(setup, step);
        throw error;
      }
      done.push(step);
      if (change.record === null && step.earlier !== undefined) {
        setup.records(change.scope).forget(step.earlier);
      }
    }
    setup.files.removeFolders(changes.flatMap(({ emptied }) => emptied));
  } catch (error) {
    takeBack();
    throw error;
  }
  return takeBack;
}

function put(setup: AgentSetup, { path, before, after }: FileChange): void {
  if (after !== undefined) setup.files.write({ path, before, after });
  else if (before !== undefined) setup.files.remove(path, before);
}

function undo(setup: AgentSetup, step: Done): void {
  const { change, made } = step;
  put(setup, { ...change, before: change.after, after: change.before });
  setup.files.removeFolders(made);
  remember(setup, step);
}

/** As it was before. */
function remember(setup: AgentSetup, { change, earlier }: Done): void {
  const records = setup.records(change.scope);
  if (earlier !== undefined) records.save(earlier);
  else if (change.record !== null) records.forget(change.record);
}
