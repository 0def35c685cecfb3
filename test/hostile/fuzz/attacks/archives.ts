/** Archives that were damaged, and archives whose every hash is right but whose checkpoint is not what it should be. */
import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { CheckpointDocument } from "../../../../src/domain/checkpoint.ts";
import { withChecksum } from "../../../../src/domain/document-text.ts";
import { gitPlaces } from "../../../support/git-places.ts";
import { readRefs } from "../../../support/read-refs.ts";
import { type TempRepository } from "../../../support/temp-repository.ts";
import { sha256, Workshop } from "../../workshop.ts";
import type { Attack, Prepared } from "../attack.ts";
import { call, complaints } from "../in-process.ts";

export const archives: Attack = {
  id: "archives",
  what: "archives with flipped, cut, doubled and inserted bytes, or with a strange document under right hashes",
  weight: 4,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    const file = join(repo.base, "good.bundle");
    await scene.run("export", "-o", file, scene.ids[0]);
    const good = await readFile(file);
    const workshop = await Workshop.of(repo, file);
    rmSync(join(repo.base, "scratch.git"), { recursive: true });
    const victim = repo.at("victim");
    await repo.git("init", "-q", "-b", "main", victim.root);
    await victim.write("mine.txt", "mine\n");
    await call(victim.root, "create", "-m", "mine");
    const { document } = workshop;
    let imported = 0;
    return {
      async attempt(dice) {
        const isDamaged = dice.below(2) === 0;
        const made = isDamaged ? workshop : remade(workshop, dice.strange(document));
        const bytes = isDamaged ? dice.damaged(good) : made.bytes();
        const hostile = join(repo.base, "hostile.bundle");
        writeFileSync(hostile, bytes);
        const around = scene.around().replaceAll(/^victim\/\.(?:git|checkpoints)\b.*\n/gm, "");
        const refs = userRefs(victim.root);
        const ours = await ourRefs(victim);
        const called = await call(victim.root, "import", hostile);
        const wrong = [...complaints(called)];
        if (called.code === 0) {
          imported += 1;
          // What got in can be looked at and is no danger to the rest.
          const ids = ["list", "validate", "doctor"];
          for (const word of ids) wrong.push(...complaints(await call(victim.root, word)));
          const dry = await call(victim.root, "rollback", workshop.id, "--dry-run");
          wrong.push(...complaints(dry));
          // A commit names all that it holds: what arrived is what was sent, whole, or nothing.
          const arrived = [...(await ourRefs(victim))].filter(
            ([name, id]) => ours.get(name) !== id,
          );
          for (const [name, id] of arrived) {
            // A session of the same name is joined with the one that was there.
            const isJoined = name.startsWith("refs/waymark/session/") && ours.has(name);
            if (!isJoined && made.refs.get(name) !== id) wrong.push(`${name} arrived as ${id}`);
            const tree = (await victim.store("rev-parse", `${id}^{tree}`)).trim();
            if (name === made.checkpointRef && tree !== made.rootTree) {
              wrong.push(`${name} arrived with the tree ${tree}`);
            }
          }
          if (!arrived.some(([name]) => name === made.checkpointRef)) {
            wrong.push("an import that succeeded brought no checkpoint");
          }
          for (const [name] of arrived) await restoreRef(victim, name, ours.get(name));
        } else if (!isDeepStrictEqual(await ourRefs(victim), ours)) {
          wrong.push("an import that was refused left something");
        }
        const now = scene.around().replaceAll(/^victim\/\.(?:git|checkpoints)\b.*\n/gm, "");
        if (now !== around) wrong.push("a file of the project or beside it changed");
        if (userRefs(victim.root) !== refs) wrong.push("a ref of the user moved");
        return wrong.map((line) => `${isDamaged ? "damaged" : "remade"}: ${line}`);
      },
      detail: () => `${imported} were harmless and were imported`,
      end: async () => {
        const check = ["fsck", "--strict"];
        for (const fsck of [await victim.tryGit(check), await victim.tryStore(check)]) {
          if (fsck.code !== 0) throw new Error(`git fsck --strict: ${fsck.stderr}`);
        }
      },
    };
  },
};

/** Every hash in it is right: only what the document says is not. */
function remade(workshop: Workshop, document: unknown): Workshop {
  const copy = workshop.copy();
  const isRecord = document !== null && typeof document === "object" && !Array.isArray(document);
  const checked = isRecord ? withChecksum(document as CheckpointDocument, sha256) : document;
  copy.remake({ message: `strange\n\n${textOf(checked)}\n` });
  copy.manifest();
  return copy;
}

/** Checkpoints and sessions. */
async function ourRefs(victim: TempRepository): Promise<Map<string, string>> {
  const format = "--format=%(refname) %(objectname)";
  const listing = await victim.storeRefs(format, "refs/waymark/cp", "refs/waymark/session");
  const lines = listing.split("\n").filter(Boolean);
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

async function restoreRef(victim: TempRepository, name: string, id?: string): Promise<void> {
  await victim.store("update-ref", ...(id === undefined ? ["-d", name] : [name, id]));
}

function userRefs(root: string): string {
  const places = gitPlaces(root);
  return JSON.stringify([...(places === undefined ? [] : (readRefs(places)?.refs ?? []))]);
}

/** As Waymark writes it, unless it is so deep that the spaces before its lines are more than a text may hold. */
function textOf(document: unknown): string {
  try {
    return JSON.stringify(document, null, 1);
  } catch (error) {
    if (error instanceof RangeError) return JSON.stringify(document);
    throw error;
  }
}
