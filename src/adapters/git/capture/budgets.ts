/** Refuses what would be too much, before anything is read. */
import { statfsSync } from "node:fs";
import { showPath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { humanBytes, mebibytes } from "../../../domain/human-bytes.ts";
import { realOrSame } from "../../files/real-path.ts";
import { homeFolder } from "../../files/user-folders.ts";
import type { CaptureContext } from "./context.ts";
import type { LeafRequest } from "./read-leaf.ts";

export function checkBudgets(context: CaptureContext, work: readonly LeafRequest[]): void {
  const { policy, repository, include } = context;
  let bytes = 0;
  for (const { look } of work) bytes += look.size;
  const overCount = work.length > policy.maxFiles;
  if ((overCount || bytes > policy.maxTotalBytes) && include.size === 0) {
    const home = homeFolder();
    const isHome = home !== undefined && realOrSame(home) === repository.workTree;
    const largest = work
      .toSorted((left, right) => right.look.size - left.look.size)
      .slice(0, 5)
      .map((request) => showPath(request.path));
    throw new Failure(
      "over_budget",
      `${work.length} changed and untracked files with ${mebibytes(bytes)} exceed the limits of a checkpoint ` +
        `(${policy.maxFiles} files, ${mebibytes(policy.maxTotalBytes)})`,
      {
        hint: isHome
          ? "This is your home folder: run Waymark in the folder of one project. If you really mean this one, exclude folders with `capture.exclude`."
          : `Add generated files to .gitignore, or raise the limits of \`capture\`. The largest: ${largest.join(", ")}.`,
        details: { largest },
      },
    );
  }
  // Compressed or not, twice the bytes is room for the pack and for git's own copy of it.
  const disk = statfsSync(repository.commonDir);
  const free = disk.bavail * disk.bsize;
  const known = work.filter((request) => !context.cache.files.has(request.path));
  const fresh = known.reduce((sum, { look }) => sum + look.size, 0);
  if (free < fresh + RESERVED_BYTES) {
    throw new Failure(
      "disk_full",
      `a checkpoint may need ${humanBytes(fresh + RESERVED_BYTES)} and only ${humanBytes(free)} are free on the disk of ${repository.commonDir}`,
      {
        hint: "Free some disk space there and run the command again; nothing was changed.",
        details: { path: repository.commonDir, needed: fresh + RESERVED_BYTES, free },
      },
    );
  }
}

/** Room that is left for trees, the index and git itself. */
const RESERVED_BYTES = 4 * 1024 * 1024;
