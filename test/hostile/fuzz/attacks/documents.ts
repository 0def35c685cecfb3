/** Documents in the repository and beside it that are truncated, flipped, huge, from the future, deep, or of the wrong shape. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDocument } from "../../../../src/domain/checkpoint.ts";
import { withChecksum } from "../../../../src/domain/document-text.ts";
import { deadIntent, oneFile } from "../../../support/rollback-intent.ts";
import { type TempRepository } from "../../../support/temp-repository.ts";
import { sha256 } from "../../workshop.ts";
import type { Attack, Prepared } from "../attack.ts";
import { type Dice } from "../dice.ts";
import { fits } from "../fitting-checksum.ts";
import { type Called, complaints } from "../in-process.ts";
import { type FuzzScene } from "../scene.ts";

/** Looks at everything; none of these may change a file. */
const LOOKING: readonly (readonly string[])[] = [
  ["list", "--all"],
  ["show", "STRANGE"],
  ["show", "latest"],
  ["validate"],
  ["validate", "STRANGE"],
  ["log"],
  ["doctor"],
  ["config"],
  ["diff", "FIRST", "STRANGE"],
  ["diff", "FIRST", "SECOND"],
  ["rollback", "STRANGE", "--dry-run"],
  ["rollback", "STRANGE", "--yes"],
  ["cleanup", "--dry-run"],
  ["delete", "--undo"],
  ["session", "list"],
  ["session", "show"],
  ["resume", "--dry-run"],
  ["export", "-o", "OUT", "STRANGE"],
  ["stash", "STRANGE"],
  ["pin", "STRANGE"],
  ["rebuild", "STRANGE"],
];

/** Needs the strange checkpoint, and has to refuse it when its document is not the one that was written. */
const NEEDING = LOOKING.filter(
  ([command, ...rest]) =>
    command !== "rebuild" && (rest.includes("STRANGE") || command === "validate"),
);

/** By docs/cli.md: damaged, or written by a newer Waymark. */
const DAMAGED = 4;

/** Of b.txt: what is there is what the rollback that was killed had brought. */
const BEFORE = "beta\n";
const TARGET = "beta, edited\n";

const INTENDED = new Set([BEFORE, TARGET].map((text) => `b.txt file 644 ${sha256(text)}`));

const STRANGE_ID = "cp-00-strange-20261116-000000-ffff";

export const documents: Attack = {
  id: "documents",
  what: "damaged, future and misshapen documents: checkpoint, session, rollback record, agents' memory, caches, settings",
  weight: 8,
  async prepare(scene): Promise<Prepared> {
    const { repo, ids } = scene;
    const hook = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Write" };
    await scene.run("rollback", ids[0], "--yes");
    await scene.run("undo", "--yes");
    await fillMemory(scene, hook);
    const blobs = [await hashed(repo, BEFORE), await hashed(repo, TARGET)] as const;
    const saved = scene.saved;
    cpSync(repo.root, saved, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const first = await repo.store("cat-file", "commit", `refs/waymark/cp/${ids[0]}`);
    const session = await repo.store("cat-file", "commit", "refs/waymark/session/worktree-main");
    const places = filesOfOurs(repo.root);
    let healthy = 0;
    let refused = 0;
    let reached = 0;
    return {
      async attempt(dice) {
        rmSync(repo.root, { recursive: true, force: true });
        cpSync(saved, repo.root, {
          recursive: true,
          verbatimSymlinks: true,
          preserveTimestamps: true,
        });
        const kind = dice.one([
          "checkpoint",
          "checkpoint",
          "checkpoint",
          "checkpoint",
          "session",
          "intent",
          "file",
          "settings",
        ]);
        const text = await plant(kind, dice, { scene, first, session, places, blobs });
        let mustRefuse = kind === "checkpoint" && !fits(text);
        const before = scene.files();
        const around = scene.around();
        const wrong: string[] = [];
        for (let count = 0; count < 3; count++) {
          const words = dice.one(choiceOf(kind, mustRefuse, count));
          const args = words.map((word) => named(word, scene));
          const called = await scene.run(...args);
          wrong.push(...complaints(called));
          if (mustRefuse && NEEDING.includes(words)) {
            refused += 1;
            if (called.code !== DAMAGED) wrong.push(notRefused(called));
          }
          // From then on it is another one, with a document that is marked as made anew.
          if (called.code === 0 && args[0] === "rebuild") mustRefuse = false;
          if (called.code === 0 && args[0] === "rollback" && args[2] === "--yes") {
            reached += 1;
            wrong.push(...(await wayThereAndBack(scene, before)));
          }
          const changed = changedFiles(before, scene.files());
          // A rollback that was killed may be taken back by any of them, which is about this one file.
          const found = kind === "intent" ? changed.filter((line) => !INTENDED.has(line)) : changed;
          wrong.push(...found.map((line) => `${args.join(" ")} changed a file: ${line}`));
        }
        const called = await scene.run("rollback", ids[0], "--yes", "--discard-commits");
        wrong.push(...complaints(called));
        if (called.code === 0) {
          healthy += 1;
          const changed = changedFiles(scene.filesAt[0], scene.files());
          wrong.push(...changed.map((line) => `not as at the first checkpoint: ${line}`));
        }
        // A damaged checkpoint never hides the others; a session or record that cannot be read has to be seen to first.
        else if (kind === "checkpoint" || kind === "file") {
          wrong.push(`another checkpoint cannot be used: ${called.stdout.slice(0, 300)}`);
        }
        rmSync(join(repo.base, "out.bundle"), { force: true });
        if (scene.around() !== around) wrong.push("something beside the project changed");
        if (({} as Record<string, unknown>)["polluted"] !== undefined) {
          wrong.push("the prototype of all objects was changed");
        }
        return wrong.map((line) => `${kind}: ${line}`);
      },
      detail: () =>
        `another checkpoint was rolled back to after ${healthy} of them, ${refused} uses of one with a wrong checksum were refused, ${reached} strange ones with a right checksum were rolled back to and undone`,
    };
  },
};

/** What a strange checkpoint is most likely to do harm by comes first. */
function choiceOf(kind: string, mustRefuse: boolean, count: number): typeof LOOKING {
  if (kind !== "checkpoint") return LOOKING;
  if (mustRefuse) return count < 2 ? NEEDING : LOOKING;
  return count === 0 ? [["rollback", "STRANGE", "--yes"]] : LOOKING;
}

const notRefused = ({ args, code }: Called): string =>
  `${args.join(" ")}: ended with ${code} although the checksum is wrong`;

/** What it brings is that of its commit, which is the first one's, or was there; and undo takes it back. */
async function wayThereAndBack(scene: FuzzScene, before: string): Promise<string[]> {
  const known = [before, scene.filesAt[0]].join("\n");
  const wrong = changedFiles(known, scene.files())
    .filter((line) => !line.endsWith(" is gone"))
    .map((line) => `the strange checkpoint brought what nobody had: ${line}`);
  const called = await scene.run("undo", "--yes", "--discard-commits");
  wrong.push(...complaints(called));
  if (called.code !== 0) wrong.push(`no undo: ${called.stdout.slice(0, 300)}`);
  const changed = changedFiles(before, scene.files());
  return [...wrong, ...changed.map((line) => `not as before, after undo: ${line}`)];
}

/** Lines of files that are not as they were; of one that is gone, its name. */
function changedFiles(before: string, now: string): string[] {
  const [then, there] = [new Set(before.split("\n")), new Set(now.split("\n"))];
  const nameOf = (line: string): string => line.slice(0, line.search(/ (?:file|link|folder) /));
  const names = new Set([...there].map(nameOf));
  return [
    ...[...there].filter((line) => !then.has(line)),
    ...[...then]
      .filter((line) => !names.has(nameOf(line)))
      .map((line) => `${nameOf(line)} is gone`),
  ];
}

async function hashed(repo: TempRepository, text: string): Promise<string> {
  return (await repo.storeWithInput(text, "hash-object", "-w", "--stdin")).trim();
}

function named(word: string, { ids, repo }: FuzzScene): string {
  const names: Readonly<Record<string, string>> = {
    STRANGE: STRANGE_ID,
    FIRST: ids[0],
    SECOND: ids[1],
    OUT: join(repo.base, "out.bundle"),
  };
  return names[word] ?? word;
}

async function fillMemory(scene: FuzzScene, payload: object): Promise<void> {
  const { act } = await import("../../../../src/interfaces/hooks/act.ts");
  const { readPayload } = await import("../../../../src/domain/agents/read-payload.ts");
  const tool_input = { file_path: join(scene.repo.root, "a.txt"), content: "x" };
  const whole = { ...payload, tool_use_id: "t", tool_input, cwd: scene.repo.root };
  const event = readPayload("claude", undefined, whole, {});
  if (event !== undefined) await act(event, scene.repo.root);
}

/** Small files that Waymark reads again; the store is for `test/states/damage.test.ts`. */
function filesOfOurs(root: string): string[] {
  const folders = [".git/waymark", ".checkpoints"].filter((folder) =>
    existsSync(join(root, folder)),
  );
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/aside|\/waymark\/store/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

interface Ground {
  readonly scene: FuzzScene;
  readonly first: string;
  readonly session: string;
  readonly places: readonly string[];
  /** What the rollback that was killed found and what it should bring. */
  readonly blobs: readonly [before: string, target: string];
}

/** Gives the text of the document, where that is a commit's. */
async function plant(
  kind: string,
  dice: Dice,
  { scene, first, session, places, blobs }: Ground,
): Promise<string> {
  const { repo } = scene;
  switch (kind) {
    case "checkpoint": {
      const document = { ...documentIn(first), id: STRANGE_ID } as unknown as CheckpointDocument;
      const ref = `refs/waymark/cp/${STRANGE_ID}`;
      const text = checkpointText(dice, document);
      await plantCommit(scene, ref, headOf(first), text);
      return text;
    }
    case "session": {
      const ref = "refs/waymark/session/worktree-main";
      const text = dice.strangeText(documentIn(session));
      await plantCommit(scene, ref, headOf(session), text);
      return text;
    }
    case "intent":
      writeFileSync(
        join(repo.root, ".git/waymark/rollback-intent.json"),
        dice.strangeText(intentOf(scene, blobs)),
      );
      return "";
    case "settings":
      writeFileSync(join(repo.root, "waymark.yml"), strangeSettings(dice));
      return "";
    default: {
      const file = dice.one(places);
      if (!existsSync(file)) return "";
      const bytes = readFileSync(file);
      const isJson = bytes[0] === 0x7b && bytes.at(-1) !== 0x0a;
      let text: string | Buffer = dice.damaged(bytes);
      if (isJson || file.endsWith(".json")) {
        try {
          text = dice.strangeText(JSON.parse(bytes.toString("utf8")));
        } catch {
          // Not one document: damaged as bytes.
        }
      }
      writeFileSync(file, text);
      return "";
    }
  }
}

/** With a right checksum half of the time, so that the rest of it is looked at. */
function checkpointText(dice: Dice, document: CheckpointDocument): string {
  if (dice.below(2) === 0) return dice.strangeText(document);
  const strange = dice.strange(document);
  if (strange === null || typeof strange !== "object" || Array.isArray(strange)) {
    return JSON.stringify(strange);
  }
  return JSON.stringify(withChecksum(strange as CheckpointDocument, sha256), null, 1);
}

async function plantCommit(
  { repo }: FuzzScene,
  ref: string,
  head: string,
  text: string,
): Promise<void> {
  const commit = Buffer.from(`${head}\n\nstrange\n\n${text}\n`, "utf8");
  const oid = await repo.storeWithInput(commit, "hash-object", "-t", "commit", "-w", "--stdin");
  await repo.store("update-ref", ref, oid.trim());
}

const headOf = (commit: string): string => commit.slice(0, commit.indexOf("\n\n"));

function documentIn(commit: string): Record<string, unknown> {
  return JSON.parse(commit.slice(commit.indexOf("\n\n{") + 2)) as Record<string, unknown>;
}

function intentOf({ repo, ids }: FuzzScene, blobs: Ground["blobs"]): object {
  const id = "rb-20261116-000000-dead";
  return deadIntent({
    rollback_id: id,
    target_id: ids[0],
    safety_id: ids[1],
    staging: join(repo.root, ".git/waymark/restore", id),
    steps: oneFile("b.txt", ...blobs),
  });
}

function strangeSettings(dice: Dice): string {
  const good = {
    strategy: "smart",
    retention: { manual: -1, max_age: "7d" },
    capture: { max_file_mb: 50, exclude: ["*.o"], include_ignored: ["/x"] },
    secrets: { patterns: ["*.secret"] },
    agents: { policy: "fail_open" },
  };
  const strange = dice.strangeText(good);
  return dice.below(4) === 0 ? `a: &a [*a, *a]\nb: !!js/function x\n${strange}` : strange;
}
