/** Asks git which paths its ignore rules match: one `git check-ignore` that answers as long as it is asked. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Failure } from "../../domain/failure.ts";
import type { BytePath } from "../../domain/byte-path.ts";
import type { GitLocation } from "./run-git.ts";
import { cannotStart, gitFailed, startGit } from "./run-git.ts";

const ARGS = ["check-ignore", "--stdin", "-z", "--verbose", "--non-matching", "--no-index"];
const FIELDS_PER_ANSWER = 4;
/** This command takes no literal pathspecs; a name that begins with a colon would have a meaning without it. */
const PREFIX = "./";

export class IgnoreRules {
  readonly #location: GitLocation;
  #child: ChildProcessWithoutNullStreams | undefined;
  #pending = "";
  #fields: string[] = [];
  #waiting: { count: number; resolve: () => void; reject: (error: unknown) => void } | undefined;
  #failure: Failure | undefined;

  constructor(location: GitLocation) {
    this.#location = location;
  }

  /** The ignored ones among these paths. One question at a time. */
  async ignored(paths: readonly BytePath[]): Promise<Set<BytePath>> {
    const ignored = new Set<BytePath>();
    if (paths.length === 0) return ignored;
    if (this.#failure !== undefined) throw this.#failure;
    const answered = new Promise<void>((resolve, reject) => {
      this.#waiting = { count: paths.length * FIELDS_PER_ANSWER, resolve, reject };
    });
    const input = paths.map((path) => `${PREFIX}${path}\0`).join("");
    this.#started().stdin.write(Buffer.from(input, "latin1"));
    await answered;
    const fields = this.#fields.splice(0, paths.length * FIELDS_PER_ANSWER);
    for (let at = 0; at + 3 < fields.length; at += FIELDS_PER_ANSWER) {
      const pattern = fields[at + 2] ?? "";
      // With --verbose a pattern that takes a path back in is reported too.
      if (pattern !== "" && !pattern.startsWith("!")) {
        ignored.add((fields[at + 3] ?? "").slice(PREFIX.length) as BytePath);
      }
    }
    return ignored;
  }

  /** Starts git before the first question. */
  start(): void {
    this.#started();
  }

  close(): void {
    this.#child?.stdin.end();
    this.#child = undefined;
  }

  #started(): ChildProcessWithoutNullStreams {
    if (this.#child !== undefined) return this.#child;
    const child = startGit(this.#location, ARGS, { env: { GIT_LITERAL_PATHSPECS: "0" } });
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      const parts = (this.#pending + chunk.toString("latin1")).split("\0");
      this.#pending = parts.pop() ?? "";
      for (const part of parts) this.#fields.push(part);
      if (this.#waiting !== undefined && this.#fields.length >= this.#waiting.count) {
        const { resolve } = this.#waiting;
        this.#waiting = undefined;
        resolve();
      }
    });
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8").slice(0, 4096)));
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => this.#fail(cannotStart(error)));
    child.on("close", () => {
      this.#fail(
        gitFailed(["check-ignore"], { exitCode: child.exitCode ?? -1, stderr }, child.signalCode),
      );
    });
    this.#child = child;
    return child;
  }

  #fail(failure: Failure): void {
    this.#failure = failure;
    this.#waiting?.reject(failure);
    this.#waiting = undefined;
  }
}
