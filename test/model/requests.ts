/** What Waymark is asked for: a checkpoint of a kind, a rollback of an extent. */
import type { RollBackOptions } from "../../src/library/roll-back.ts";
import { type Held } from "./expected-in-part.ts";
import { type CreateKind, type Extent } from "./steps.ts";

export function optionsOf(extent: Extent): RollBackOptions {
  switch (extent) {
    case "all":
      return {};
    case "files-only":
      return { filesOnly: true };
    case "keep-head":
      return { keepHead: true };
    case "paths":
      return { paths: ["dir"] };
  }
}

export function requestOf(kind: CreateKind, state: Held["state"]): object {
  switch (kind) {
    case "plain":
      return {};
    case "scoped":
      return { scope: ["dir"] };
    case "backup":
      return {
        parts: [
          {
            type: "file_backup",
            patterns: ["/i.log"],
            outside: [],
            includeSecrets: [],
            isOptional: true,
          },
        ],
      };
    case "state":
      return {
        parts: [
          {
            type: "state_snapshot",
            documents: [{ name: "state", kind: "value", value: state }],
            keys: null,
          },
        ],
      };
  }
}
