/** Progress of long work: each phase has a true total and reaches it, and a wish to stop is heard between two files. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { cleanUp } from "../../src/operations/clean-up.ts";
import { createCheckpoint } from "../../src/operations/create-checkpoint.ts";
import { exportCheckpoints } from "../../src/operations/export-checkpoints.ts";
import { importArchive } from "../../src/operations/import-archive.ts";
import type { Project } from "../../src/operations/project.ts";
import { rebuildCheckpoint } from "../../src/operations/rebuild-checkpoint.ts";
import { rollBack } from "../../src/operations/roll-back.ts";
import { redo, undo } from "../../src/operations/undo.ts";
import { validateCheckpoints } from "../../src/operations/validate-checkpoints.ts";
import type { Interruption } from "../../src/ports/interruption.ts";
import type { Progress, ProgressTask, ProgressTotal } from "../../src/ports/progress.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { withDirty, type RuleProject } from "./project.ts";

const FILES = 40;

interface Phase {
  readonly label: string;
  readonly total: ProgressTotal;
  items: number;
  bytes: number;
  ends: number;
}

/** What is said between phases; it counts nothing. */
const WHOLE = ["creating a checkpoint", "saving the current state", "rolling back"];

class RecordedProgress implements Progress {
  readonly phases: Phase[] = [];
  onAdvance: (phase: Phase) => void = () => undefined;

  begin(label: string, total: ProgressTotal = {}): ProgressTask {
    const phase: Phase = { label, total, items: 0, bytes: 0, ends: 0 };
    this.phases.push(phase);
    return {
      advance: (items, bytes = 0) => {
        phase.items += items;
        phase.bytes += bytes;
        const { items: files = Infinity, bytes: size = Infinity } = total;
        const isTrue =
          items >= 0 &&
          bytes >= 0 &&
          phase.items <= files &&
          phase.bytes <= size &&
          phase.ends === 0;
        expect({ ...phase, isTrue }).toMatchObject({ isTrue: true });
        this.onAdvance(phase);
      },
      end: () => void (phase.ends += 1),
    };
  }

  /** `label items/total` of those with files. */
  take(): string[] {
    const taken = this.phases.splice(0);
    for (const phase of taken) expect(phase).toMatchObject({ ends: 1 });
    return taken.map(({ label, items, total }) => `${label} ${items}/${total.items ?? "?"}`);
  }

  /** The same of work that came to its end: each phase reached its total. */
  takeWhole(): string[] {
    for (const phase of this.phases.filter(({ label }) => !WHOLE.includes(label))) {
      const { items, bytes, total } = phase;
      const isWhole =
        (total.items ?? total.bytes) !== undefined &&
        items === (total.items ?? items) &&
        bytes === (total.bytes ?? bytes);
      expect({ ...phase, isWhole }).toMatchObject({ isWhole: true });
    }
    return this.take();
  }
}

class AskedLater implements Interruption {
  isAsked = false;

  holdOff<Result>(work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  handOver<Result>(_onWish: unknown, work: () => Promise<Result>): Promise<Result> {
    return work();
  }
}

async function withScene(
  run: (scene: {
    readonly of: RuleProject;
    readonly project: Project;
    readonly progress: RecordedProgress;
    readonly interruption: AskedLater;
    readonly roll: (id: string) => Promise<unknown>;
  }) => Promise<void>,
): Promise<void> {
  await withDirty(async (of) => {
    const progress = new RecordedProgress();
    const interruption = new AskedLater();
    const project = await openGitProject({ directory: of.repo.root, progress, interruption });
    const roll = async (id: string): Promise<unknown> => {
      const stored = await project.checkpoints.read(id);
      if (stored?.kind !== "ok") throw new Error(id);
      return await rollBack(project, {
        kind: "rollback",
        target: stored.document,
        sessionId: stored.document.session_id,
        scope: { filesOnly: false, keepHead: false, paths: null },
        discardCommits: true,
        reason: null,
        confirmed: true,
        confirm: () => Promise.resolve(true),
        id: "rb-progress",
      });
    };
    try {
      await run({ of, project, progress, interruption, roll });
    } finally {
      project.close();
    }
  });
}

async function writeAll({ repo }: RuleProject, content: string): Promise<void> {
  for (let at = 0; at < FILES; at++) await repo.write(`many/${at}.txt`, `${content} ${at}\n`);
}

describe("progress", () => {
  it("has a true total in every phase of create, rollback, undo and redo", async () => {
    await withScene(async ({ of, project, progress, roll }) => {
      await writeAll(of, "before");
      const { checkpoint } = await createCheckpoint(project, { force: true });
      expect(progress.takeWhole()).toContainEqual(expect.stringMatching(/^capturing files \d+\//));
      await writeAll(of, "after");
      await of.repo.write("later.txt", "new\n");
      await roll(checkpoint.id);
      const rolled = progress.takeWhole();
      const restored = FILES + 1;
      expect(rolled).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^capturing files /),
          `checking permissions ${restored}/${restored}`,
          `staging files ${restored}/${restored}`,
          `removing files 1/1`,
          `writing files ${FILES}/${FILES}`,
          `checking replaced files ${restored}/${restored}`,
          expect.stringMatching(/^reading files /),
          `verifying files ${restored}/${restored}`,
        ]),
      );
      const request = { discardCommits: false, reason: null, confirmed: true };
      const confirm = (): Promise<boolean> => Promise.resolve(true);
      await undo(project, { ...request, confirm });
      expect(progress.takeWhole()).toContain(`verifying files ${restored}/${restored}`);
      await redo(project, { ...request, confirm });
      expect(progress.takeWhole()).toContain(`verifying files ${restored}/${restored}`);
    });
  });

  it("has a true total in every phase of export, import, validate, rebuild and cleanup", async () => {
    await withScene(async ({ of, project, progress }) => {
      await writeAll(of, "before");
      const { checkpoint } = await createCheckpoint(project, { force: true });
      progress.take();
      const file = join(of.repo.home, "archive.waymark");
      await exportCheckpoints(project, {
        selectors: [],
        file,
        overwrite: false,
        since: [],
        sinceRemotes: false,
        skipDamaged: false,
      });
      const exported = progress.takeWhole();
      expect(exported).toContainEqual(expect.stringMatching(/^writing objects /));
      const searched = exported.find((line) => line.startsWith("searching files for secrets "));
      expect(Number(/\d+/.exec(searched ?? "")?.[0])).toBeGreaterThanOrEqual(FILES);
      await importArchive(project, { file, dryRun: true });
      const imported = progress.takeWhole();
      expect(imported).toContain("checking checkpoints 1/1");
      expect(imported).toContainEqual(expect.stringMatching(/^indexing objects /));
      await validateCheckpoints(project, { selectors: [] }, () => []);
      expect(progress.takeWhole()).toEqual(["checking checkpoints 1/1"]);
      await rebuildCheckpoint(project, { selector: checkpoint.id });
      progress.takeWhole();
      await cleanUp(project, { now: false, limits: {} }, () => Promise.resolve(false));
      expect(progress.takeWhole()).toContain("measuring checkpoints 1/1");
    });
  });

  it("[R49] hears a wish to stop between two files, and puts them back with totals of its own", async () => {
    await withScene(async ({ of, project, progress, interruption, roll }) => {
      await writeAll(of, "before");
      const { checkpoint } = await createCheckpoint(project, { force: true });
      await writeAll(of, "after");
      const before = await takeFingerprint(of.repo);
      progress.take();
      const stopAfter = 25;
      progress.onAdvance = ({ label, items }) => {
        if (label === "writing files" && items === stopAfter) interruption.isAsked = true;
      };
      await expect(roll(checkpoint.id)).rejects.toMatchObject({ code: "interrupted" });
      const phases = progress.take();
      expect(phases).toContain(`writing files ${stopAfter}/${FILES}`);
      expect(phases).toContain(`putting files back ${FILES}/${FILES}`);
      expect(differences(await takeFingerprint(of.repo), before)).toEqual([]);
    });
  });

  it("[R49] stops while files are staged, and changes nothing", async () => {
    await withScene(async ({ of, project, progress, interruption, roll }) => {
      await writeAll(of, "before");
      const { checkpoint } = await createCheckpoint(project, { force: true });
      await writeAll(of, "after");
      const before = await takeFingerprint(of.repo);
      progress.take();
      progress.onAdvance = ({ label }) => {
        if (label === "staging files") interruption.isAsked = true;
      };
      await expect(roll(checkpoint.id)).rejects.toMatchObject({ code: "interrupted" });
      expect(progress.take()).toContain("removing staged files 1/1");
      expect(differences(await takeFingerprint(of.repo), before)).toEqual([]);
    });
  });
});
