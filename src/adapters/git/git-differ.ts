/** The Differ port: trees compared by git. */
import { renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import { asBytePath, decodeUtf8, isInside, type BytePath } from "../../domain/byte-path.ts";
import {
  filesTreeOf,
  gitPartOf,
  isPlain,
  type CheckpointDocument,
  type Exclusion,
  type GitPart,
  type GitSummary,
} from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { withheldExclusions } from "../../domain/local-half.ts";
import { originalName, storedPath } from "../../domain/stored-name.ts";
import type {
  Differ,
  DiffSummary,
  FileDifference,
  Moment,
  PassedCommit,
  PatchOptions,
} from "../../ports/differ.ts";
import { commitsOnlyIn } from "./commits-only-in.ts";
import { GitCapture } from "./git-capture.ts";
import { alternates } from "./git-environment.ts";
import { heldPart } from "./local-half.ts";
import type { ObjectReader } from "./object-reader.ts";
import { refValues } from "./ref-values.ts";
import type { Repository } from "./repository.ts";
import { TreeBuilder } from "./tree-builder.ts";
import { cannotStart, gitFailed, runGit, startGit } from "./run-git.ts";

/** No program that the repository names is run, and no rename is guessed: a rollback writes paths. */
const SAFE = ["--no-ext-diff", "--no-textconv", "--no-renames"];

export class GitDiffer implements Differ {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  /** Captures whose objects git can see by now. */
  readonly #visible = new Map<GitCapture, string | undefined>();

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository.store;
    this.#reader = reader;
  }

  async files(from: Moment, to: Moment, paths: readonly BytePath[]): Promise<FileDifference[]> {
    const env = await this.#environment(from, to);
    const trees = [await this.#treeOf(from), await this.#treeOf(to)];
    const { stdout } = await runGit(
      this.#repository,
      ["diff-tree", "-r", "-z", "--raw", "--numstat", ...SAFE, ...trees],
      { env },
    );
    return parseDifferences(stdout.toString("latin1"))
      .filter(({ path }) => paths.length === 0 || paths.some((part) => isInside(path, part)))
      .toSorted((left, right) => (left.path < right.path ? -1 : 1));
  }

  async staged(moment: Moment): Promise<ReadonlySet<BytePath>> {
    const { git, part } = sidesOf(moment);
    // A plain folder has an index of ours, and nobody stages anything in it.
    if (isPlain(git)) return new Set();
    const empty = new TreeBuilder(undefined, this.#repository.hash).folder([]);
    const { stdout } = await runGit(
      this.#repository,
      ["diff-tree", "-r", "-z", "--name-only", ...SAFE, git.commit ?? empty, part.index],
      { env: await this.#environment(moment) },
    );
    const names = stdout.toString("latin1").split("\0").filter(Boolean);
    return new Set(names.map(originalPath));
  }

  async summaries(
    from: Moment,
    to: readonly CheckpointDocument[],
  ): Promise<(DiffSummary | undefined)[]> {
    if (to.length === 0) return [];
    const env = await this.#environment(from);
    const start = await this.#treeOf(from);
    const pairs: string[] = [];
    for (const document of to) {
      pairs.push(`${start} ${await this.#treeOf({ kind: "checkpoint", document })}\n`);
    }
    return this.#summarize(pairs, env);
  }

  async changes(
    pairs: readonly { readonly from: string; readonly to: string }[],
  ): Promise<(DiffSummary | undefined)[]> {
    const isId = (text: string): boolean => /^[0-9a-f]{40,64}$/.test(text);
    const asked = pairs.filter(({ from, to }) => from !== to && isId(from) && isId(to));
    const lines = asked.map(({ from, to }) => `${from} ${to}\n`);
    const found = await this.#summarize(lines, await this.#environment());
    const byPair = new Map(asked.map((pair, at) => [pair, found[at]]));
    const none = { files: 0, added: 0, removed: 0 };
    return pairs.map((pair) => (pair.from === pair.to ? none : byPair.get(pair)));
  }

  /** Of lines with two ids each. One that is damaged says nothing about the others. */
  async #summarize(
    pairs: readonly string[],
    env: Record<string, string>,
  ): Promise<(DiffSummary | undefined)[]> {
    if (pairs.length === 0) return [];
    const { exitCode, stdout } = await runGit(
      this.#repository,
      ["diff-tree", "-r", "--stdin", "--shortstat", ...SAFE],
      { env, input: pairs.join(""), accept: [0, 128] },
    );
    if (exitCode === 0) return parseSummaries(stdout.toString("latin1"));
    if (pairs.length === 1) return [undefined];
    const half = Math.ceil(pairs.length / 2);
    return [
      ...(await this.#summarize(pairs.slice(0, half), env)),
      ...(await this.#summarize(pairs.slice(half), env)),
    ];
  }

  async patch(
    from: Moment,
    to: Moment,
    { isColored, paths, leaveOut, contextLines }: PatchOptions,
    write: (piece: Buffer) => Promise<void>,
  ): Promise<void> {
    const env = { ...(await this.#environment(from, to)), GIT_LITERAL_PATHSPECS: "0" };
    const args = [
      "diff",
      `--color=${isColored ? "always" : "never"}`,
      ...(contextLines === undefined
        ? []
        : [`--unified=${contextLines}`, "--src-prefix=a/", "--dst-prefix=b/"]),
      ...SAFE,
    ];
    const pathspecs = [
      ...paths.map((path) => pathspec("literal", path)),
      ...leaveOut.map((path) => pathspec("exclude,literal", path)),
    ];
    const trees = [await this.#treeOf(from), await this.#treeOf(to)];
    const child = startGit(this.#repository, [...args, ...trees, "--", ...pathspecs], { env });
    const ended = new Promise<void>((resolve, reject) => {
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8").slice(0, 8192)));
      child.on("error", (error) => reject(cannotStart(error)));
      child.on("close", (code, signal) => {
        // A pager that was left early closes the pipe.
        if (code === 0 || signal === "SIGPIPE" || code === 141) resolve();
        else reject(gitFailed(args, { exitCode: code ?? -1, stderr }, signal));
      });
    });
    child.stdin.end();
    for await (const piece of child.stdout) await write(piece as Buffer);
    await ended;
  }

  async commits(
    from: string | null,
    to: string | null,
  ): Promise<{ gained: PassedCommit[]; lost: PassedCommit[] }> {
    if (from === to) return { gained: [], lost: [] };
    const side = (has: string | null, hasNot: string | null): Promise<PassedCommit[]> =>
      has === null
        ? Promise.resolve([])
        : commitsOnlyIn(this.#repository, has, hasNot ?? undefined);
    return { gained: await side(to, from), lost: await side(from, to) };
  }

  async withoutRef(commits: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const folders = ["refs/heads", "refs/remotes", "refs/tags"];
    const refs = [...(await refValues(this.#repository.project, ...folders)).values()];
    const { stdout } = await runGit(
      this.#repository,
      ["rev-list", "--timestamp", "--ignore-missing", "--stdin"],
      { input: [...commits, ...refs.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join("") },
    );
    const asked = new Set(commits);
    const lines = stdout.toString("utf8").split("\n").filter(Boolean);
    return new Map(
      lines.flatMap((line) => {
        const [seconds = "", commit = ""] = line.split(" ");
        return asked.has(commit) ? [[commit, Number(seconds)] as const] : [];
      }),
    );
  }

  async pager(): Promise<string | undefined> {
    const { stdout } = await runGit(
      this.#repository,
      ["config", "--global", "--get", "core.pager"],
      { accept: [0, 1] },
    );
    const pager = stdout.toString("utf8").trim();
    return pager === "" ? undefined : pager;
  }

  async #environment(...moments: readonly Moment[]): Promise<Record<string, string>> {
    const folders: string[] = [];
    for (const moment of moments) {
      const folder = moment.kind === "now" ? await this.#objectsOf(moment) : undefined;
      if (folder !== undefined) folders.push(folder);
    }
    return alternates(...folders);
  }

  async notHere(document: CheckpointDocument): Promise<readonly Exclusion[]> {
    const part = await heldPart(this.#repository, this.#reader, document);
    if (part?.worktree === filesTreeOf(document)) return [];
    return withheldExclusions(document.coverage.withheld ?? []);
  }

  /** As far as the files are here. */
  async #treeOf(moment: Moment): Promise<string> {
    const { part } = sidesOf(moment);
    if (moment.kind === "now") return part.worktree;
    return (await heldPart(this.#repository, this.#reader, moment.document))?.worktree ?? "";
  }

  /** A folder with the objects of a capture, beside the repository's own; it goes when the capture is discarded. */
  async #objectsOf({ capture }: Extract<Moment, { kind: "now" }>): Promise<string | undefined> {
    if (!(capture instanceof GitCapture)) throw new Error("this capture is of another kind");
    if (this.#visible.has(capture)) return this.#visible.get(capture);
    const { spool } = capture.raw;
    let folder: string | undefined;
    if (spool.count > 0) {
      const written = spool.finish(false);
      folder = join(dirname(written), "objects");
      makeFolders(join(folder, "pack"), 0o700);
      const target = join(folder, "pack", "pack-now.pack");
      await runGit(
        this.#repository,
        ["index-pack", "-o", target.replace(/pack$/, "idx"), written],
        {
          durability: "fast",
        },
      );
      renameSync(written, target);
    }
    this.#visible.set(capture, folder);
    return folder;
  }
}

/** Arguments of a process are UTF-8; a path of other bytes is matched with any byte in the place of each one of those. */
function pathspec(magic: string, path: BytePath): string {
  const stored = storedPath(path);
  const text = decodeUtf8(stored);
  if (text !== undefined) return `:(top,${magic})${text}`;
  const glob = stored.replaceAll(/[^\w./-]/g, "?");
  return `:(top,${magic.replace("literal", "glob")})${glob}`;
}

function sidesOf(moment: Moment): { readonly git: GitSummary; readonly part: GitPart } {
  if (moment.kind === "now") return moment.capture;
  const { git } = moment.document;
  const part = gitPartOf(moment.document);
  if (part === undefined) {
    throw new Failure(
      "checkpoint_damaged",
      `checkpoint ${moment.document.id} contains no work tree`,
      {
        hint: `Run \`waymark validate ${moment.document.id}\`.`,
      },
    );
  }
  return { git, part };
}

function originalPath(stored: string): BytePath {
  return asBytePath(stored.split("/").map(originalName).join("/"));
}

/** For each pair a line with its two ids, and one with the sums where something differs. */
function parseSummaries(text: string): DiffSummary[] {
  const found: DiffSummary[] = [];
  const count = (line: string, what: RegExp): number => Number(what.exec(line)?.[1] ?? 0);
  for (const line of text.split("\n")) {
    if (/^[0-9a-f]{40,} [0-9a-f]{40,}$/.test(line)) {
      found.push({ files: 0, added: 0, removed: 0 });
    } else if (line.startsWith(" ")) {
      found[found.length - 1] = {
        files: count(line, /(\d+) file/),
        added: count(line, /(\d+) insertion/),
        removed: count(line, /(\d+) deletion/),
      };
    }
  }
  return found;
}

/** First come the raw lines (`:modes ids status NUL path NUL`), then `added TAB removed TAB path NUL` for each file. */
function parseDifferences(text: string): FileDifference[] {
  const changes = new Map<string, FileDifference["change"]>();
  const found: FileDifference[] = [];
  const fields = text.split("\0");
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? "";
    if (field.startsWith(":")) {
      const status = field.slice(field.lastIndexOf(" ") + 1);
      changes.set(
        fields[++at] ?? "",
        status === "A" ? "added" : status === "D" ? "removed" : "modified",
      );
      continue;
    }
    const match = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(field);
    if (match === null) continue;
    const [, added = "", removed = "", stored = ""] = match;
    found.push({
      path: originalPath(stored),
      change: changes.get(stored) ?? "modified",
      added: added === "-" ? null : Number(added),
      removed: removed === "-" ? null : Number(removed),
    });
  }
  return merged(found);
}

/** A path that is stored under one name as a file and under another as a link comes twice. */
function merged(found: readonly FileDifference[]): FileDifference[] {
  const byPath = new Map<BytePath, FileDifference>();
  for (const difference of found) {
    const other = byPath.get(difference.path);
    const sum = (left: number | null, right: number | null): number | null =>
      left === null || right === null ? null : left + right;
    byPath.set(
      difference.path,
      other === undefined
        ? difference
        : {
            path: difference.path,
            change: "modified",
            added: sum(other.added, difference.added),
            removed: sum(other.removed, difference.removed),
          },
    );
  }
  return [...byPath.values()];
}
