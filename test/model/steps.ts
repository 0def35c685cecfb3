/** What happens in a model run: random work, and every operation of Waymark on the checkpoints that there are by then. */
import fc from "fast-check";
import { type Harm } from "./damage.ts";
import { operation, type Operation } from "./operations.ts";
import { catalogue, ownStarts } from "./starts.ts";

/** backup: a file that git ignores is copied too; state: the workflow's state goes with it; scoped: only one folder. */
export type CreateKind = "plain" | "backup" | "state" | "scoped";

/** What a rollback is limited to. */
export type Extent = "all" | "files-only" | "keep-head" | "paths";

export type Step =
  | { readonly do: "work"; readonly operations: readonly Operation[] }
  | { readonly do: "create"; readonly kind: CreateKind }
  /** Nothing changed since: no second checkpoint of one moment. */
  | { readonly do: "create-same" }
  /** `to`: counted back from the newest, round and round. `twice`: the second one finds nothing to do. */
  | {
      readonly do: "rollback";
      readonly to: number;
      readonly extent: Extent;
      readonly twice: boolean;
    }
  | { readonly do: "undo" | "redo" }
  /** The command is killed after this share of the time that it took before. */
  | { readonly do: "kill"; readonly to: number; readonly share: number }
  /** Deleted and brought back. */
  | { readonly do: "delete"; readonly which: number }
  /** All that retention lets go, gone for good. */
  | { readonly do: "cleanup" }
  /** One object of the repository is lost, damaged or empty while this command runs. */
  | {
      readonly do: "damage";
      readonly harm: Harm;
      readonly object: number;
      readonly command: "create" | "rollback" | "undo" | "redo";
      readonly to: number;
    }
  /** The documents of the sessions are garbage while a checkpoint is taken. */
  | { readonly do: "damage-sessions" }
  /** Through an archive into another repository, and rolled back to there. */
  | { readonly do: "carry"; readonly which: number };

export interface Work {
  readonly start: string;
  /** Once the files are copied: git has looked at all of them and trusts their time stamps, or it has not. */
  readonly refreshed: boolean;
  /** Most runs are in this process; what a command adds is the same in every state. */
  readonly by: "library" | "command";
  readonly steps: readonly Step[];
  /** A full `git fsck` at the end. */
  readonly fsck: boolean;
}

const which = fc.nat({ max: 5 });

const work = fc.record({
  do: fc.constant("work" as const),
  operations: fc.array(operation, { minLength: 1, maxLength: 6 }),
});

const rollback = fc.record({
  do: fc.constant("rollback" as const),
  to: which,
  extent: fc.oneof(
    { weight: 5, arbitrary: fc.constant("all" as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("files-only" as const, "keep-head" as const, "paths" as const),
    },
  ),
  twice: fc.oneof(
    { weight: 7, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
});

const create = fc.record({
  do: fc.constant("create" as const),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant("plain" as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("backup" as const, "state" as const, "scoped" as const),
    },
  ),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: work },
  { weight: 3, arbitrary: create },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("create-same" as const) }) },
  { weight: 6, arbitrary: rollback },
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("undo" as const, "redo" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("kill" as const),
      to: which,
      share: fc.integer({ min: 0, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("damage-sessions" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("damage" as const),
      harm: fc.constantFrom("lost" as const, "flipped" as const, "empty" as const),
      object: fc.nat({ max: 999 }),
      command: fc.constantFrom(
        "create" as const,
        "rollback" as const,
        "undo" as const,
        "redo" as const,
      ),
      to: which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), which }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      { weight: 1, arbitrary: fc.record({ do: fc.constant("cleanup" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("carry" as const), which }) },
    ),
  },
);

/** Work, a checkpoint, more work and a way back are in every run; what else happens is open. */
export const anyWork: fc.Arbitrary<Work> = fc
  .record({
    start: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...ownStarts.map(({ name }) => name)) },
      { weight: 2, arbitrary: fc.constantFrom(...catalogue.map(({ name }) => name)) },
    ),
    refreshed: fc.boolean(),
    by: fc.oneof(
      { weight: 19, arbitrary: fc.constant("library" as const) },
      { weight: 1, arbitrary: fc.constant("command" as const) },
    ),
    before: fc.array(operation, { maxLength: 6 }),
    create,
    after: fc.array(operation, { minLength: 1, maxLength: 6 }),
    back: rollback,
    more: fc.array(step, { maxLength: 5 }),
    fsck: fc.oneof(
      { weight: 3, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
  })
  .map(({ start, refreshed, by, before, create: first, after, back, more, fsck }) => ({
    start,
    refreshed,
    by,
    fsck,
    steps: [
      {
        do: "work",
        operations: before,
      },
      first,
      {
        do: "work",
        operations: after,
      },
      back,
      { do: "undo" },
      ...more,
    ],
  }));
