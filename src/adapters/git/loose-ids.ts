/** Checkpoints whose refs are files of their own. */
import { join } from "node:path";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { namesIn } from "../files/names-in.ts";
import { CHECKPOINT_REFS } from "./ref-names.ts";
import type { Repository } from "./repository.ts";

/** Locks and temporary files of git have names that no checkpoint has. */
export function looseIds(repository: Repository): string[] {
  return namesIn(join(repository.commonDir, CHECKPOINT_REFS)).filter(isCheckpointId);
}
