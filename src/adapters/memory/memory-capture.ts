/** A capture that needs no project: all that it holds is one text. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Coverage, GitPart, GitSummary } from "../../domain/checkpoint.ts";
import { STANDARD_MODES, type WorkTreeDetails } from "../../domain/work-tree-details.ts";
import type { PartContent } from "../../ports/part-keeper.ts";
import type { Capture, StoredMoment } from "../../ports/work-tree.ts";

export class MemoryCapture implements Capture {
  readonly content: string;
  readonly entries = new Map<string, Buffer>();
  readonly git: GitSummary;
  readonly part: GitPart;
  readonly coverage: Coverage;
  readonly details: WorkTreeDetails;
  readonly withheld = new Map<never, never>();
  readonly sameness: string;
  readonly contentHash: string;
  isDiscarded = false;

  constructor(content: string) {
    this.content = content;
    this.git = {
      branch: "refs/heads/main",
      detached: false,
      commit: null,
      unborn: true,
      operation: "none",
      ahead_of_upstream: null,
      stats: { staged: 0, unstaged: 0, untracked: 1, deleted: 0, conflicted: 0 },
      refs: {},
    };
    const id = contentId(content);
    this.part = {
      type: "git_stash",
      digest: id,
      worktree: id,
      index: contentId(""),
      conflicts: null,
      index_raw: null,
      index_mtime_ns: null,
      index_flags: "",
      details: contentId("details"),
      operation: null,
    };
    this.coverage = {
      files: 1,
      bytes: Buffer.byteLength(content),
      excluded: [],
      excluded_total: 0,
      unstable: [],
    };
    this.details = {
      defaults: STANDARD_MODES,
      modes: new Map(),
      emptyFolders: new Map(),
      excluded: [],
    };
    this.sameness = contentId(content);
    this.contentHash = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  }

  get stored(): StoredMoment {
    return { part: this.part };
  }

  add(entries: ReadonlyMap<string, PartContent>): Promise<void> {
    for (const [name, content] of entries) {
      if (content.kind === "shelved") throw new Error(`${name} is on a shelf of another store`);
      this.entries.set(
        name,
        content.kind === "bytes" ? Buffer.from(content.bytes) : readFileSync(content.path),
      );
    }
    return Promise.resolve();
  }

  discard(): void {
    this.isDiscarded = true;
  }
}

/** Stands in for an object id, and looks like one. */
export function contentId(content: string): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 40);
}
