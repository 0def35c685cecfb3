/** Git's object ids of files and links, and where a rollback moves them. */
import { join } from "node:path";
import type { ContentIds } from "../../files/exchange/file-mover.ts";
import { FileMover } from "../../files/exchange/file-mover.ts";
import { hashFile } from "../../files/stable-read.ts";
import { objectId, type HashName } from "../object-hash.ts";
import type { Repository } from "../repository.ts";

export function gitIds(hash: HashName): ContentIds {
  return {
    ofFile: (path) => hashFile(path, hash),
    ofLink: (target) => objectId(hash, "blob", target),
  };
}

export function gitMover(repository: Repository): FileMover {
  return new FileMover(
    { project: repository.workTree, git: repository.gitDir },
    gitIds(repository.hash),
    join(repository.privateDir, "tmp"),
  );
}
