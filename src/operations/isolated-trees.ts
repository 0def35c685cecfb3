/** Work trees of their own for the nodes of a batch: making them, reading what a node left, taking them away. */
import { parsePath, type BytePath } from "../domain/byte-path.ts";
import {
  filesTreeOf,
  gitPartOf,
  type CheckpointDocument,
  type Exclusion,
} from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { FileDifference, PassedCommit } from "../ports/differ.ts";
import type { IsolatedTree, MergeSide } from "../ports/isolated-work-trees.ts";
import type { Capture } from "../ports/work-tree.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import type { CreateRequest } from "./create-request.ts";
import type { Project } from "./project.ts";
import type { RemovedTree } from "./removed-tree.ts";

/** Where in the workflow a checkpoint belongs. */
export type PlaceInWorkflow = Pick<
  CreateRequest,
  "sessionId" | "phase" | "step" | "taskId" | "issueNumber"
>;

/** What a node left. `checkpoint` holds its files and keeps its commits alive, also when the tree is gone. */
export interface NodeResult extends MergeSide {
  /** Against the start of the batch, in the order of their paths. */
  readonly changes: readonly FileDifference[];
  /** Made by the node, newest first. Their content is merged; the commits themselves stay where they are. */
  readonly commits: readonly PassedCommit[];
  /** What the checkpoint does not hold and what is lost with the tree: so the tree stays. */
  readonly notHeld: readonly Exclusion[];
}

/** One tree for each name, each with exactly the files of the checkpoint. All of them or none. */
export async function startIsolated(
  project: Project,
  checkpoint: CheckpointDocument,
  names: readonly string[],
  outputsOf: (name: string) => readonly BytePath[] = () => [],
): Promise<readonly IsolatedTree[]> {
  refuseUnfit(checkpoint);
  const made: IsolatedTree[] = [];
  const commands = await project.commands.name();
  const task = project.progress.begin("creating work trees", { items: names.length });
  try {
    for (const name of names) {
      made.push(
        await project.isolated.make({ checkpoint, name, commands, outputs: outputsOf(name) }),
      );
      task.advance(1);
    }
  } catch (error) {
    for (const tree of made) await project.isolated.remove(tree);
    throw error;
  } finally {
    task.end();
  }
  return made;
}

function refuseUnfit(checkpoint: CheckpointDocument): void {
  if (gitPartOf(checkpoint) === undefined || checkpoint.scope !== undefined) {
    throw new Failure(
      "cannot_isolate",
      `checkpoint ${checkpoint.id} does not contain the whole work tree`,
      { hint: "Isolated nodes start from a checkpoint without a scope." },
    );
  }
}

/** Takes an `agent_complete` checkpoint of what is in the tree now. May be called again. */
export async function readIsolated(
  project: Project,
  tree: IsolatedTree,
  base: CheckpointDocument,
  place: PlaceInWorkflow,
): Promise<NodeResult> {
  const { checkpoint, notHeld } = await takeIn(
    project,
    { tree, base },
    {
      ...place,
      trigger: "agent_complete",
      name: tree.name,
      reason: `the result of ${tree.name}`,
      force: true,
    },
  );
  const from = { kind: "checkpoint" as const, document: base };
  const to = { kind: "checkpoint" as const, document: checkpoint };
  const [changes, commits] = await Promise.all([
    project.differ.files(from, to, []),
    project.differ.commits(base.git.commit, checkpoint.git.commit),
  ]);
  return {
    name: tree.name,
    checkpoint,
    outputs: tree.outputs,
    changes,
    commits: commits.gained,
    notHeld,
  };
}

interface TreeToRead {
  readonly tree: IsolatedTree;
  /** What it began with; undefined: that is gone. */
  readonly base: CheckpointDocument | undefined;
}

async function takeIn(
  project: Project,
  { tree, base }: TreeToRead,
  request: CreateRequest,
): Promise<{ checkpoint: CheckpointDocument; notHeld: readonly Exclusion[] }> {
  const opened = await openTree(project, tree);
  try {
    if (opened.workTree.id !== tree.id) throw notLinked(tree);
    // By the rules of the project, whatever the node made of the settings in its tree.
    const own: Project = { ...opened, policy: project.policy };
    const capture = await captureWork(own, base, tree.outputs);
    const { excluded } = capture.details;
    const { checkpoint } = await createCheckpoint(own, { ...request, capture });
    return { checkpoint, notHeld: await project.isolated.wouldBeLost(tree, excluded) };
  } finally {
    opened.close();
  }
}

/** With every file that the node was given, also where it made git ignore it: what it changed there is its work. */
async function captureWork(
  { workTree, policy }: Project,
  base: CheckpointDocument | undefined,
  outputs: readonly BytePath[],
): Promise<Capture> {
  const capture = await workTree.capture({ policy, evenIfIgnored: new Set(outputs) });
  if (base === undefined) return capture;
  const ignored = capture.details.excluded.filter(({ reason }) => reason === "ignored");
  const given = await workTree.pathsIn(
    base,
    ignored.map(({ path }) => parsePath(path)),
  );
  if (given.length === 0) return capture;
  capture.discard();
  return workTree.capture({ policy, evenIfIgnored: new Set([...outputs, ...given]) });
}

async function openTree(project: Project, tree: IsolatedTree): Promise<Project> {
  if (!(await project.isolated.isThere(tree))) {
    throw new Failure("cannot_isolate", `${tree.path} was deleted`, {
      hint: `The work of ${tree.name} was in it. A node must not move or delete its work tree.`,
      details: { path: tree.path },
    });
  }
  try {
    return await project.openAt(tree.path);
  } catch (error) {
    if (error instanceof Failure && error.code === "not_a_repository") throw notLinked(tree);
    throw error;
  }
}

/** What git knows of it is gone, and the folder is part of something else by now, or of nothing. */
function notLinked({ name, path }: IsolatedTree): Failure {
  return new Failure("cannot_isolate", `${path} is no longer a work tree of this project`, {
    hint: `Copy what you need from the work of ${name} in it, then delete the folder.`,
    details: { path },
  });
}

/**
 * Takes a tree away once a checkpoint holds everything in it; one is taken if none does. `resultId`: the checkpoint of what the
 * node left, where that was read.
 */
export async function removeIsolated(
  project: Project,
  tree: IsolatedTree,
  resultId: string = tree.baseId,
): Promise<RemovedTree> {
  if (!(await project.isolated.isThere(tree))) return removeEmpty(project, tree);
  const stored = await project.checkpoints.read(tree.baseId);
  const base = stored?.kind === "ok" ? stored.document : undefined;
  const { checkpoint, notHeld } = await takeIn(
    project,
    { tree, base },
    {
      sessionId: tree.sessionId,
      trigger: "auto",
      name: tree.name,
      reason: `before the work tree of ${tree.name} was removed`,
    },
  );
  if (notHeld.length > 0) return { kind: "kept", tree, notHeld };
  await project.isolated.remove(tree);
  const known = await project.checkpoints.read(resultId);
  const isChanged = known?.kind !== "ok" || !holdSameWork(known.document, checkpoint);
  return { kind: "removed", tree, checkpointId: checkpoint.id, isChanged };
}

/** The files and the commit: how far the session has come is part of each checkpoint, and says nothing about the tree. */
function holdSameWork(one: CheckpointDocument, other: CheckpointDocument): boolean {
  return filesTreeOf(one) === filesTreeOf(other) && one.git.commit === other.git.commit;
}

/** A tree that a killed process left, and how many processes were ended that still were at work there. */
export type LeftOverEnd = RemovedTree & { readonly ended: number };

/** Trees that killed processes left. One that cannot be read does not keep the others from going. */
export async function removeLeftOver(project: Project): Promise<readonly LeftOverEnd[]> {
  const done: LeftOverEnd[] = [];
  for (const tree of await project.isolated.leftOver()) {
    // What is written after the checkpoint would be lost with the tree.
    const ended = tree.commands === null ? 0 : await project.commands.endLeftOvers(tree.commands);
    const removed = tree.isWhole
      ? await removeReadable(project, tree)
      : await removeEmpty(project, tree);
    done.push({ ...removed, ended });
  }
  return done;
}

async function removeReadable(project: Project, tree: IsolatedTree): Promise<RemovedTree> {
  try {
    await refuseBusy(project, tree);
    return await removeIsolated(project, tree);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === "interrupted") throw error;
    return { kind: "unreadable", tree, problem: error };
  }
}

/** Somebody's shell, or what an agent started in a way that left no trace of whose it is: it is not ours to end. */
async function refuseBusy(project: Project, { path }: IsolatedTree): Promise<void> {
  const pids = await project.commands.workingIn(path);
  if (pids.length === 0) return;
  throw new Failure("repository_busy", `process ${pids.join(", ")} still works in it`, {
    hint: "End it, then run the command again.",
    details: { path, pids },
  });
}

async function removeEmpty(project: Project, tree: IsolatedTree): Promise<RemovedTree> {
  await project.isolated.remove(tree);
  return { kind: "removed", tree, checkpointId: null, isChanged: false };
}
