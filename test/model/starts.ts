/**
 * Where a model run starts: every state of the catalogue, and two histories of its own. Each is made once, in the folder that all runs of a lane
 * use one after the other (linked work trees and submodules hold absolute paths), and copied back for each run.
 */
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { conversions } from "../states/rows/conversions.ts";
import { heads } from "../states/rows/heads.ts";
import { ignoreRules } from "../states/rows/ignore-rules.ts";
import { indexStates } from "../states/rows/index-states.ts";
import { operations } from "../states/rows/operations.ts";
import { ordinaryWork } from "../states/rows/ordinary-work.ts";
import { plainFolders } from "../states/rows/plain-folders.ts";
import { repositories } from "../states/rows/repositories.ts";
import { type Row } from "../states/rows/row.ts";
import { TempRepository } from "../support/temp-repository.ts";
import { history } from "./history.ts";

export interface Start {
  readonly name: string;
  readonly prepare: Row["prepare"];
  readonly possible?: Row["possible"];
  /** Attributes convert files: what git calls modified then depends on when it last looked. */
  readonly converts: boolean;
}

/** A row in which something is held only while the checkpoint is made is about that moment, and no start. */
function fromRows(rows: readonly Row[], converts = false): Start[] {
  return rows
    .filter(({ afterCreate }) => afterCreate === undefined)
    .map(({ name, prepare, possible }) => ({
      name,
      prepare,
      converts,
      ...(possible === undefined ? {} : { possible }),
    }));
}

export const ownStarts: readonly Start[] = [
  // Files of the same second as the index: git trusts no time stamp.
  { name: "history", prepare: (repo) => history(repo, false), converts: false },
  // Files that are older than the index, as in life.
  { name: "settled", prepare: (repo) => history(repo, true), converts: false },
];

export const catalogue: readonly Start[] = [
  ...fromRows(ordinaryWork),
  ...fromRows(indexStates),
  ...fromRows(operations),
  ...fromRows(heads),
  ...fromRows(repositories),
  ...fromRows(plainFolders),
  ...fromRows(ignoreRules),
  ...fromRows(conversions, true),
];

const byName = new Map([...ownStarts, ...catalogue].map((start) => [start.name, start]));

export interface Bystander {
  readonly repo: TempRepository;
  /** Work trees of one repository have refs and settings in common. */
  readonly sharesRefs: boolean;
}

export interface Place {
  /** The project that Waymark looks after. */
  readonly repo: TempRepository;
  /** The one that it was made from, where that is another and still there: its main work tree, or what it was cloned from. */
  readonly bystander: Bystander | undefined;
  readonly converts: boolean;
}

function bystanderOf(repo: TempRepository): Bystander | undefined {
  const dotGit = join(repo.root, ".git");
  const sharesRefs = lstatSync(dotGit, { throwIfNoEntry: false })?.isFile() === true;
  const other = repo.at(sharesRefs ? "project" : "origin");
  return other.root !== repo.root && existsSync(join(other.root, ".git"))
    ? { repo: other, sharesRefs }
    : undefined;
}

export class Starts {
  readonly #folder: string;
  readonly #made = new Map<string, string | undefined>();

  /** `folder`: of this lane alone. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, "made"), { recursive: true });
  }

  get #base(): string {
    return join(this.#folder, "run");
  }

  /** A fresh copy. Undefined: this git cannot make the state. */
  async begin(name: string): Promise<Place | undefined> {
    const start = byName.get(name);
    if (start === undefined) throw new Error(`there is no start called ${name}`);
    if (!this.#made.has(name)) this.#made.set(name, await this.#make(start));
    const root = this.#made.get(name);
    if (root === undefined) return undefined;
    this.clear();
    execFileSync("cp", ["-a", this.#kept(name), this.#base]);
    const repo = new TempRepository(this.#base, join(this.#base, root));
    return {
      repo,
      bystander: bystanderOf(repo),
      converts: start.converts,
    };
  }

  clear(): void {
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }

  #kept(name: string): string {
    return join(this.#folder, "made", Buffer.from(name).toString("base64url").slice(0, 200));
  }

  async #make(start: Start): Promise<string | undefined> {
    this.clear();
    const project = new TempRepository(this.#base, join(this.#base, "project"));
    for (const folder of [project.root, project.home, join(this.#base, "outside")]) {
      mkdirSync(folder, { recursive: true });
    }
    writeFileSync(join(this.#base, "outside", "kept"), "outside\n");
    if ((await start.possible?.()) === false) return undefined;
    const repo = (await start.prepare(project)) ?? project;
    renameSync(this.#base, this.#kept(start.name));
    return basename(repo.root);
  }
}
