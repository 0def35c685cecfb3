/** Puts one task back where it stood, by exchanging its file. Whatever stops it is a problem of the answer. */
import { basename, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { quoteForShell } from "../../domain/shell-quote.ts";
import { readProblem } from "../../domain/system-error.ts";
import {
  editsThatStay,
  keyOfFile,
  labelsBack,
  standingChanges,
  taskKey,
  type TaskSnapshot,
} from "../../domain/task.ts";
import type { HeldFiles, TaskRestored } from "../../ports/tasks.ts";
import { statOf } from "../files/file-stat.ts";
import { namesIn } from "../files/names-in.ts";
import {
  contentOf,
  exchangeFile,
  modeOf,
  settle,
  staysBelow,
  type Exchange,
} from "../files/state/exchange-file.ts";
import { findBacklog, placesOf, type BacklogFolder } from "./backlog-folder.ts";
import { filesOf, readTask, taskBytes, type ReadTask, type TaskFile } from "./task-files.ts";
import { NoTask, TaskText } from "./task-text.ts";

/** Names that the exchange of a file may leave when it is killed. */
const LEFT_BEHIND = /^(.+\.md)\.waymark-(?:old|new)-/;
const USUAL_MODE = 0o644;

export class TaskRestore {
  readonly #root: string;
  readonly #then: TaskSnapshot;
  readonly #held: HeldFiles;
  readonly #done: Exchange[] = [];
  readonly #changes: string[] = [];
  readonly #notes: string[] = [];
  readonly #problems: string[] = [];

  constructor(root: string, then: TaskSnapshot, held: HeldFiles) {
    this.#root = root;
    this.#then = then;
    this.#held = held;
  }

  async run(): Promise<TaskRestored> {
    try {
      await this.#restore();
    } catch (error) {
      // Anything else is a mistake of this program.
      if (!(error instanceof NoTask) && !(error instanceof Failure) && !isSystemError(error))
        throw error;
      this.#problem(readProblem(error));
    }
    return {
      kind: this.#problems.length > 0 ? "kept" : this.#done.length > 0 ? "restored" : "unchanged",
      changes: this.#changes,
      notes: this.#notes,
      problems: this.#problems,
      takeBack: () => Promise.resolve(this.#takeBack()),
    };
  }

  async #restore(): Promise<void> {
    const then = this.#then;
    const backlog = findBacklog(this.#root);
    const key = backlog === undefined ? undefined : taskKey(then.id, backlog.prefix);
    if (backlog === undefined || key === undefined) {
      throw new NoTask("the Backlog.md folder no longer exists");
    }
    this.#settle(backlog, key);
    const files = filesOf(this.#root, backlog, key);
    const place = this.#placeOf(backlog, key, files);
    const chosen =
      files.find(({ path }) => path === place) ??
      files.find(({ folder }) => folder === then.folder) ??
      files[0];
    if (chosen === undefined) {
      await this.#bringBack(place);
      return;
    }
    const read = this.#read(chosen, key);
    const isMoved = chosen.folder !== then.folder;
    const kept = this.#exchange(read, chosen.path, isMoved ? place : chosen.path);
    if (kept === undefined) return;
    this.#notes.push(...editsThatStay(read.task, then));
    for (const other of files) if (other !== chosen) await this.#removeDuplicate(other, kept);
  }

  #read(file: TaskFile, key: string): ReadTask {
    try {
      return readTask(this.#root, file, key);
    } catch (error) {
      throw error instanceof NoTask ? new NoTask(`${file.path}: ${error.message}`) : error;
    }
  }

  /** Where its file belongs. The path of a checkpoint is not believed beyond the name of the file: it may come from elsewhere. */
  #placeOf(backlog: BacklogFolder, key: string, files: readonly TaskFile[]): string {
    const places = placesOf(backlog).filter(({ folder }) => folder === this.#then.folder);
    const isDraft = key.startsWith("draft-");
    const place = places.find(({ path }) => path.endsWith("/drafts") === isDraft) ?? places[0];
    const names = [this.#then.path, files[0]?.path ?? "", `${key}.md`].map((path) =>
      basename(path),
    );
    const name = names.find((one) => keyOfFile(one) === key) ?? `${key}.md`;
    return `${place?.path ?? backlog.path}/${name}`;
  }

  /** Its file was taken away by the rollback, with a folder that git does not ignore, and cannot come back from where git does. */
  async #bringBack(place: string): Promise<void> {
    const { taskPath } = this.#held;
    const bytes = taskPath === undefined ? undefined : await this.#held.read(taskPath);
    if (bytes === undefined) {
      throw new NoTask(
        "its file no longer exists (deleted, or made a draft), and no checkpoint contains it",
      );
    }
    const text = new TaskText(Buffer.from(bytes));
    const { status, labels } = this.#then;
    const after = text.with(status, labelsBack(text.fields.labels, labels));
    this.#apply({ path: place, before: undefined, after, mode: USUAL_MODE });
    this.#changes.push(`${place} restored`);
  }

  /** Answers with the bytes that are in place now; undefined: somebody was faster. */
  #exchange({ bytes, text, task }: ReadTask, from: string, to: string): Buffer | undefined {
    const { status, labels } = this.#then;
    const after = text.with(status, labelsBack(text.fields.labels, labels));
    const mode = modeOf(join(this.#root, from)) ?? USUAL_MODE;
    if (from === to) {
      if (after.equals(bytes)) return bytes;
      if (!this.#apply({ path: from, before: bytes, after, mode })) return undefined;
    } else {
      if (!this.#apply({ path: to, before: undefined, after, mode })) return undefined;
      if (!this.#apply({ path: from, before: bytes, after: undefined, mode })) return undefined;
    }
    this.#changes.push(...standingChanges(task, this.#then));
    return after;
  }

  /** Only what is held elsewhere goes: byte for byte, or all of it but status and labels in the file that stays. */
  async #removeDuplicate({ path }: TaskFile, kept: Buffer): Promise<void> {
    const bytes = taskBytes(this.#root, path);
    const held = await this.#held.read(path);
    if ((held !== undefined && bytes.equals(held)) || differsInStandingOnly(bytes, kept)) {
      const mode = modeOf(join(this.#root, path)) ?? USUAL_MODE;
      if (this.#apply({ path, before: bytes, after: undefined, mode })) {
        this.#changes.push(`${path}, a second file of the task, is missing`);
      }
      return;
    }
    this.#problems.push(
      `${this.#then.id} has a second file, ${path}, which no checkpoint contains: compare both and remove one (\`backlog doctor\` shows them)`,
    );
  }

  /** Paths from the root of the project. */
  #apply(exchange: Exchange): boolean {
    const path = join(this.#root, exchange.path);
    if (!staysBelow(this.#root, path))
      throw new NoTask(`${exchange.path} points outside the project`);
    if (exchangeFile({ ...exchange, path })) {
      this.#done.push({ ...exchange, path });
      return true;
    }
    this.#problem(`${exchange.path} was changed or replaced by another program in the meantime`);
    return false;
  }

  #takeBack(): string[] {
    const left: string[] = [];
    for (const { path, before, after, mode } of this.#done.toReversed()) {
      if (!exchangeFile({ path, before: after, after: before, mode })) left.push(path);
    }
    this.#done.length = 0;
    return left.map((path) => `${path} was changed by another program meanwhile and was kept`);
  }

  /** What a killed exchange left beside a file. */
  #settle(backlog: BacklogFolder, key: string): void {
    for (const { path } of placesOf(backlog)) {
      const folder = join(this.#root, path);
      if (statOf(folder)?.isDirectory() !== true || !staysBelow(this.#root, join(folder, "x")))
        continue;
      const files = namesIn(folder).flatMap((name) => LEFT_BEHIND.exec(name)?.[1] ?? []);
      for (const name of new Set(files)) {
        const at = join(folder, name);
        const now = keyOfFile(name) === key ? contentOf(at) : undefined;
        if (keyOfFile(name) === key)
          settle(at, (bytes) => now !== undefined && differsInStandingOnly(bytes, now));
      }
    }
  }

  #problem(what: string): void {
    this.#problems.push(
      `${this.#then.id} was not restored: ${what}. To restore it manually: ${this.#byHand()}`,
    );
  }

  #byHand(): string {
    const { id, status, folder, labels } = this.#then;
    const words = ["backlog task edit", quoteForShell(id)];
    if (status !== null) words.push("-s", quoteForShell(status));
    const workflow = labels.filter((label) => /^workflow:/i.test(label));
    for (const label of workflow) words.push("--add-label", quoteForShell(label));
    return `move its file to the folder ${folder} if it is in another, then \`${words.join(" ")}\``;
  }
}

/** Nothing is lost with the first one as long as the second one is there. */
function differsInStandingOnly(bytes: Buffer, kept: Buffer): boolean {
  try {
    const { status, labels } = new TaskText(kept).fields;
    return new TaskText(bytes).with(status, labels).equals(kept);
  } catch (error) {
    if (error instanceof NoTask) return false;
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}
