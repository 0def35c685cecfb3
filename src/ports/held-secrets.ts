/**
 * Looks for secrets in what checkpoints hold, before any of it is shown or leaves the machine.
 *
 * Obligations: files that git does not track are looked at, and documents of a workflow's state. Of what leaves the machine every
 * file is looked at that no commit has under its path, also one that was only staged or announced: what is committed goes where the
 * repository goes. Each is named once for each checkpoint that holds it; no value is handed out.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { SecretReason } from "../domain/secrets/secret-text.ts";
import type { NameKind } from "../domain/sensitive-name.ts";
import type { Progress } from "./progress.ts";

export interface HeldSecret extends SecretReason {
  /** Of a state document: the file that it came from, or else the file of the checkpoint's tree. */
  readonly path: BytePath;
  /** Of a state document: the file of the checkpoint's tree, `state.json` for example. */
  readonly entry?: BytePath;
}

export interface SecretSearch {
  /** What a name says about secrets. */
  readonly kindOf: (path: BytePath) => NameKind;
  /** Look into files whose names say nothing, too. */
  readonly scanContent: boolean;
  /** It leaves the machine; otherwise it is shown here. */
  readonly leavesMachine: boolean;
  readonly progress: Progress;
}

export interface HeldSecrets {
  /** By the id of the checkpoint; one without secrets is not in the answer. */
  find(
    documents: readonly CheckpointDocument[],
    search: SecretSearch,
  ): Promise<ReadonlyMap<string, readonly HeldSecret[]>>;
  /** Files of the local half that look like secrets; none where it has no work tree of its own, or is not here. */
  local(document: CheckpointDocument): Promise<readonly HeldSecret[]>;
}
