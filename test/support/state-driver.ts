/**
 * For round trips through many states: the command takes the checkpoint and rolls back, the library takes back and repeats in this
 * process. What a command adds does not depend on the state of the repository, and each start costs as much as all that git does.
 */
import { readdirSync } from "node:fs";
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { redo, undo, type UndoRequest } from "../../src/operations/undo.ts";
import { cliDriver, type Driver, type RollbackOutcome } from "./driver.ts";
import { type TempRepository } from "./temp-repository.ts";

export function stateDriver(repo: TempRepository): Driver {
  const command = cliDriver(repo.root, repo.env);
  // Settings in the user's home are seen by processes that have it as theirs.
  const hasSettings = (): boolean => readdirSync(repo.home).length > 0;
  return {
    ...command,
    undo: () => (hasSettings() ? command.undo() : step(repo.root, undo)),
    redo: () => (hasSettings() ? command.redo() : step(repo.root, redo)),
  };
}

const CONSENT: UndoRequest = {
  discardCommits: true,
  reason: null,
  confirmed: true,
  confirm: () => Promise.resolve(true),
};

async function step(directory: string, act: typeof undo): Promise<RollbackOutcome> {
  const project = await openGitProject({ directory });
  try {
    const { verification, safety } = await act(project, CONSENT);
    return { kind: "rolled_back", match: verification.match, undoCheckpointId: safety.id };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "refused", reason: `${error.code}: ${error.message}` };
  } finally {
    project.close();
  }
}
