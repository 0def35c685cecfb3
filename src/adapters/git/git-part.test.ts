import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";
import { deleteObject, flipByteOfObject } from "../../../test/support/damage.ts";
import { makeTempRepository } from "../../../test/support/temp-repository.ts";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { planFiles } from "../../domain/rollback-plan.ts";
import { openGitProject } from "../../app.ts";
import { createCheckpoint } from "../../operations/create-checkpoint.ts";
import type { Project } from "../../operations/project.ts";
import { rollbackId } from "../../operations/rollback-id.ts";
import { namesIn } from "../files/names-in.ts";
import { partKeeperSuite, type PartSubject } from "../../ports/part-keeper.suite.ts";
import type { Restore } from "../../ports/restorer.ts";
import type { Capture } from "../../ports/work-tree.ts";

interface Held {
  readonly document: CheckpointDocument;
  readonly capture: Capture;
}

const SECRET = "a line that only files hold";

async function subject(): Promise<PartSubject<Held>> {
  const { repo, remove } = await makeTempRepository();
  await repo.write("tracked", "first\n");
  await repo.stage(["tracked"]);
  await repo.commit("first");
  const opened: Project[] = [];
  // As another process sees it: a git that runs has the old packs open.
  const open = async (): Promise<Project> => {
    const fresh = await openGitProject({ directory: repo.root });
    opened.push(fresh);
    return fresh;
  };
  const project = await open();

  async function hold(trigger: "manual" | "pre_rollback"): Promise<Held> {
    const capture = await project.workTree.capture({ policy: project.policy });
    const { checkpoint } = await createCheckpoint(project, { trigger, capture, force: true });
    return { document: checkpoint, capture };
  }

  /** Prepared by the moment that `expected` holds, whatever happened since. */
  async function begin(to: Held, expected: Held): Promise<Restore> {
    const fresh = await open();
    const comparison = await fresh.workTree.compare(expected.capture, to.document);
    const restore = await fresh.restorer.begin(rollbackId(project), to.document.id);
    try {
      await restore.prepare({
        rollbackId: rollbackId(project),
        target: to.document,
        before: expected.capture,
        files: planFiles({
          ...comparison,
          inScope: () => true,
          protectedFromRemoval: new Map(),
        }),
        head: null,
        refs: [],
        // Held by its lock in a rollback, so nobody else changes it.
        index: { kind: "none" },
        operation: false,
        parts: [],
        partPaths: null,
      });
      return restore;
    } catch (error) {
      await restore.takeBack();
      throw error;
    }
  }

  return {
    put: async (state) => {
      await repo.write("tracked", `${SECRET} ${state}\n`, state === 1 ? 0o755 : 0o644);
      for (const other of [0, 1, 2]) await repo.remove(`only-${other}`);
      const names = state === 2 ? [0, 1, 2] : [state];
      for (const name of names) await repo.write(`only-${name}`, `${SECRET}: ${state}\n`);
    },
    look: async () => [
      await repo.git("status", "--porcelain=v2"),
      await repo.git("diff", "HEAD"),
      ...(await Promise.all(
        readdirSync(repo.root)
          .filter((name) => name.startsWith("only-"))
          .map(async (name) => [name, (await repo.read(name)).toString("utf8")]),
      )),
    ],
    capture: () => hold("manual"),
    captureLike: () => hold("pre_rollback"),
    digestOf: ({ document }) => document.content_hash,
    verify: async ({ document }) => {
      const results = await (await open()).checkpoints.verify([document.id]);
      return results.flatMap(({ problems }) => problems);
    },
    prepareOnly: async (to, expected) => void (await (await begin(to, expected)).takeBack()),
    restore: async (to, expected) => {
      const restore = await begin(to, expected);
      const { foreign } = await restore.apply(expected.document);
      const wrong = new Set(await restore.mismatches());
      restore.finish();
      const kept = foreign.map(({ path }) => path).filter((path) => wrong.has(path));
      return { kept, mismatches: [...wrong].filter((path) => !kept.includes(path)) };
    },
    damages: {
      "a file is missing": async ({ document }) =>
        deleteObject(repo, await idOf(document, "worktree/only-0")),
      "a file is damaged": async ({ document }) =>
        flipByteOfObject(repo, await idOf(document, "worktree/only-0")),
    },
    nowOf: async () => {
      const capture = await project.workTree.capture({ policy: project.policy });
      capture.discard();
      return capture.sameness;
    },
    saysAbout: ({ document }) => Promise.resolve(JSON.stringify(document)),
    secrets: [SECRET],
    // What was moved aside is kept for a while, on purpose.
    litter: () =>
      Promise.resolve(
        ["quarantine", "restore"].flatMap((name) => {
          const folder = join(repo.root, ".git", "waymark", name);
          return namesIn(folder).filter((entry) => !entry.startsWith("kept-"));
        }),
      ),
    close: async () => {
      for (const each of opened) each.close();
      await remove();
    },
  };

  async function idOf(document: CheckpointDocument, path: string): Promise<string> {
    return (await repo.store("rev-parse", `refs/waymark/cp/${document.id}:${path}`)).trim();
  }
}

describe("the work tree as a part", () => {
  partKeeperSuite(subject, ["a file is missing", "a file is damaged"]);
});
