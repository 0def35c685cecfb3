/** A batch of isolated nodes in a real project, opened as the engine opens it. */
import { onTestFinished } from "vitest";
import { openGitProject } from "../../src/app.ts";
import type { CheckpointDocument } from "../../src/domain/checkpoint.ts";
import { tempRepository } from "../../src/adapters/git/temp-repository.fixture.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import {
  readIsolated,
  removeIsolated,
  startIsolated,
  type NodeResult,
} from "../../src/operations/isolated-trees.ts";
import {
  mergeIsolated,
  type MergeOutcome,
  type MergeRequest,
} from "../../src/operations/merge-isolated.ts";
import type { Project } from "../../src/operations/project.ts";
import type { RemovedTree } from "../../src/operations/removed-tree.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { rollbackId } from "../../src/operations/rollback-id.ts";
import type { IsolatedTree } from "../../src/ports/isolated-work-trees.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { TempRepository } from "../support/temp-repository.ts";

export const PLACE = { sessionId: "flow", phase: "implement", step: 1 } as const;

export async function openedProject(directory: string): Promise<Project> {
  const project = await openGitProject({ directory });
  onTestFinished(() => project.close());
  return project;
}

export class Batch {
  readonly repo: TempRepository;
  readonly project: Project;
  readonly base: CheckpointDocument;
  readonly trees: ReadonlyMap<string, IsolatedTree>;

  private constructor(
    repo: TempRepository,
    project: Project,
    base: CheckpointDocument,
    trees: readonly IsolatedTree[],
  ) {
    this.repo = repo;
    this.project = project;
    this.base = base;
    this.trees = new Map(trees.map((tree) => [tree.name, tree]));
  }

  static async start(repo: TempRepository, ...names: readonly string[]): Promise<Batch> {
    const project = await openedProject(repo.root);
    const { checkpoint } = await createCheckpoint(project, { ...PLACE, trigger: "pre_phase" });
    return new Batch(repo, project, checkpoint, await startIsolated(project, checkpoint, names));
  }

  tree(name: string): IsolatedTree {
    const tree = this.trees.get(name);
    if (tree === undefined) throw new Error(`there is no node ${name}`);
    return tree;
  }

  /** The work tree of a node, to work in. */
  node(name: string): TempRepository {
    return new TempRepository(this.repo.base, this.tree(name).path);
  }

  result(name: string): Promise<NodeResult> {
    return readIsolated(this.project, this.tree(name), this.base, PLACE);
  }

  async results(): Promise<NodeResult[]> {
    const results: NodeResult[] = [];
    for (const name of this.trees.keys()) results.push(await this.result(name));
    return results;
  }

  async merge(
    more: Partial<MergeRequest> = {},
    project: Project = this.project,
  ): Promise<MergeOutcome> {
    const results = more.results ?? (await this.results());
    return mergeIsolated(project, { base: this.base, place: PLACE, ...more, results });
  }

  async backTo(id: string): Promise<void> {
    const stored = await this.project.checkpoints.read(id);
    if (stored?.kind !== "ok") throw new Error(`checkpoint ${id} is gone`);
    await rollBack(this.project, {
      kind: "rollback",
      id: rollbackId(this.project),
      target: stored.document,
      sessionId: PLACE.sessionId,
      scope: { filesOnly: false, keepHead: false, paths: null },
      discardCommits: false,
      reason: null,
      confirm: () => Promise.resolve(true),
      confirmed: true,
    });
  }

  async removeAll(): Promise<RemovedTree[]> {
    const removed: RemovedTree[] = [];
    for (const tree of this.trees.values()) removed.push(await removeIsolated(this.project, tree));
    return removed;
  }
}

const LINES = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/** Two places to change, far enough from each other to fit. */
export function lines(changes: Readonly<Record<string, string>> = {}): string {
  return Object.entries(changes).reduce((text, [from, to]) => text.replace(from, to), LINES);
}

export async function seeded(): Promise<TempRepository> {
  const repo = await tempRepository();
  await repo.write("a.txt", lines());
  await repo.write("b.txt", "b\n");
  await repo.write("lib/c.txt", "c\n");
  await repo.write(".gitignore", "ignored/\n");
  await repo.git("add", "-A");
  await repo.commit("seed");
  return repo;
}

export async function text(repo: TempRepository, name: string | Buffer): Promise<string> {
  return (await repo.read(name)).toString("utf8");
}

/** All that is on disk, without what git ignores and without when it was written. */
export async function filesOf(repo: TempRepository): Promise<Map<string, unknown>> {
  const { paths, ignored } = await takeFingerprint(repo);
  const known = [...paths].filter(([key]) => !ignored.has(key) && key !== "ignored");
  return new Map(known.map(([key, entry]) => [key, { ...entry, identity: undefined }]));
}
