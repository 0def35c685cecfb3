/** Reads the pieces of one source and keeps a list of what could not be read. */
import type { BytePath } from "../../domain/byte-path.ts";
import type { NotCarried, NotCarriedCode } from "../../domain/old-formats/old-session.ts";
import type { ProgressTask } from "../../ports/progress.ts";
import { parseJson, parseYaml, refuseNewer, type ParsedPiece } from "./parse-piece.ts";
import { PieceProblem, shownPath, type SourceEntry, type SourceFolder } from "./source-folder.ts";

export interface ReadPiece extends ParsedPiece {
  /** As people see it. */
  readonly file: string;
  readonly writtenAt: string;
}

export class SourceReader {
  readonly folder: SourceFolder;
  readonly problems: NotCarried[] = [];
  readonly #task: ProgressTask;

  constructor(folder: SourceFolder, task: ProgressTask) {
    this.folder = folder;
    this.#task = task;
  }

  /** Undefined when it cannot be read; then it is on the list. */
  async piece(path: BytePath, or?: "list"): Promise<ReadPiece | undefined> {
    const file = shownPath(path);
    return this.attempt(file, async () => {
      const { bytes, writtenAt } = this.folder.read(path);
      this.#task.advance(1, bytes.length);
      const parsed = path.endsWith(".json")
        ? parseJson(bytes, or === "list")
        : await parseYaml(bytes);
      refuseNewer(parsed.value);
      this.#noteChanges(file, parsed);
      return { ...parsed, file, writtenAt };
    });
  }

  /** The entries of a folder; none when it is not one or cannot be listed. */
  entries(path: BytePath): readonly SourceEntry[] {
    try {
      return this.folder.list(path) ?? [];
    } catch (error) {
      if (!(error instanceof PieceProblem)) throw error;
      this.note(error.code, shownPath(path), error.message);
      return [];
    }
  }

  async attempt<Value>(file: string, work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PieceProblem)) throw error;
      this.note(error.code, file, error.message);
      return undefined;
    }
  }

  /** Beside folders with records: a link may have been meant as one. */
  noteLinks(entries: readonly SourceEntry[]): void {
    for (const { path, kind } of entries) {
      if (kind === "link") this.note("unreadable", shownPath(path), "links are not followed");
    }
  }

  /** The work is over, however it ended. */
  end(): void {
    this.#task.end();
  }

  note(code: NotCarriedCode, file: string, message: string): void {
    this.problems.push({ code, session: null, record: null, file, message });
  }

  #noteChanges(file: string, { leftOut, redacted }: ParsedPiece): void {
    if (leftOut > 0) {
      this.note(
        "fields_left_out",
        file,
        `${leftOut} of its keys are called __proto__ and are omitted`,
      );
    }
    if (redacted > 0) {
      const what =
        redacted === 1
          ? "1 text looks like a secret and is"
          : `${redacted} texts look like secrets and are`;
      this.note("redacted", file, `${what} replaced by a placeholder`);
    }
  }
}
