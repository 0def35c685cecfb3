/** One object of the repository is lost, damaged or empty while a command runs, or the session documents are garbage; then all is whole again, so that the run can go on. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync } from "node:zlib";
import {
  harmObject,
  looseFile,
  sidesWith,
  type Victim,
  victims,
} from "../../scripts/faults/damage.mjs";
import { blobsOnDisk } from "../../scripts/faults/judge/damage.mjs";
import { type Objects, readObjects } from "../../scripts/faults/objects.mjs";
import { mustStore } from "../../scripts/faults/store.mjs";
import { gitPlaces } from "../support/git-places.ts";
import { type RollbackOutcome } from "../support/driver.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { type ModelDriver } from "./model-driver.ts";

export type Harm = "lost" | "flipped" | "empty";

/** Makes garbage of the session documents, and gives back what they were. Undefined where there is none yet. */
export async function damageSessions(
  repo: TempRepository,
): Promise<(() => Promise<void>) | undefined> {
  const format = "--format=%(refname) %(objectname)";
  const refs = (await repo.storeRefs(format, "refs/waymark/session"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "));
  if (refs.length === 0) return undefined;
  const set = async (ref: string, oid: string): Promise<void> => {
    await repo.store("update-ref", ref, oid);
  };
  for (const [ref = "", oid = ""] of refs) {
    const args = ["commit-tree", `${oid}^{tree}`, "-p", oid, "-m", "session", "-m", "{ garbage"];
    await set(ref, (await repo.store(...args)).trim());
  }
  return async () => {
    for (const [ref = "", oid = ""] of refs) await set(ref, oid);
  };
}

type Place = Parameters<typeof victims>[0];

interface Target extends Victim {
  readonly place: Place;
  readonly before: Objects;
  /** Which repositories have it. */
  readonly sides: Awaited<ReturnType<typeof sidesWith>>;
}

/** Undefined where there is none: a plain folder, no commit yet, objects of another repository, or of a kind that the oracle cannot hash. */
export async function chooseVictim(
  repo: TempRepository,
  which: number,
): Promise<Target | undefined> {
  const places = gitPlaces(repo.root);
  const format = await repo.tryGit(["rev-parse", "--show-object-format", "-q", "--verify", "HEAD"]);
  const borrowed = await repo.tryGit([
    "config",
    "--get-regexp",
    "^(remote.*promisor|extensions.partialclone)",
  ]);
  if (places === undefined || borrowed.stdout.length > 0) return undefined;
  if (existsSync(join(places.common, "objects/info/alternates"))) return undefined;
  if (!/^sha1\n[0-9a-f]{40}\n$/.test(format.stdout.toString())) return undefined;
  const env = Object.fromEntries(
    Object.entries({ ...repo.env, GIT_OPTIONAL_LOCKS: "0" }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as Record<string, string>;
  const place = { project: repo.root, gitDir: places.own, commonDir: places.common, env };
  const before = await readObjects(place);
  const all = await victims(place);
  const victim = all[which % all.length];
  return victim && { ...victim, place, before, sides: await sidesWith(place, victim.oid) };
}

/** A driver whose commands meet the damage. A checkpoint that it says it has taken must hold all that is on the disk. */
export function damagedDriver(driver: ModelDriver, harm: Harm, target: Target): ModelDriver {
  const meanwhile = async <T>(act: () => Promise<T>, taken: (result: T) => string): Promise<T> => {
    const onDisk = blobsOnDisk(target.place);
    await harmObject(target.place, harm, target.oid, "loose");
    try {
      const result = await act();
      await expectHeld(target, taken(result), onDisk);
      return result;
    } finally {
      repair(target);
    }
  };
  const safetyOf = (outcome: RollbackOutcome): string =>
    outcome.kind === "rolled_back" ? (outcome.undoCheckpointId ?? "") : "";
  return {
    create: (request) =>
      meanwhile(
        () => driver.create(request),
        ({ id }) => id,
      ),
    rollBack: (id, options) => meanwhile(() => driver.rollBack(id, options), safetyOf),
    step: (kind) => meanwhile(() => driver.step(kind), safetyOf),
  };
}

async function expectHeld(
  { place, oid, what }: Target,
  id: string,
  onDisk: ReadonlySet<string>,
): Promise<void> {
  if (id === "") return;
  const { missing, read } = await readObjects(place);
  const ref = `refs/waymark/cp/${id}`;
  const commit = await refOf(place, ref);
  // What only the index or an operation in progress names, and no file has, cannot be written anew.
  const isOnly = /^blob|:keep\//.test(what.replace(/^clean /, "")) && !onDisk.has(oid);
  if (!isOnly && (!read.has(commit) || missing(commit).includes(oid)))
    throw new Error(`the checkpoint that was taken lacks ${what}`);
}

async function refOf(place: Place, ref: string): Promise<string> {
  const { stdout } = await mustStore(place, ["rev-parse", ref]);
  return stdout.toString().trim();
}

function repair({ oid, before, sides }: Target): void {
  const object = before.read.get(oid);
  if (object === undefined) throw new Error(`${oid} could not be read before`);
  const head = Buffer.from(`${object.type} ${object.body.length}\0`);
  const bytes = deflateSync(Buffer.concat([head, object.body]));
  for (const side of sides) {
    const file = looseFile(side, oid);
    rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: 0o444 });
  }
}
