/**
 * Keeps the state of a workflow: `<name>.json` of a checkpoint's tree is the document itself, `<name>.source` the bytes of the
 * file that it came from. A document that no file holds belongs to the session, which is told by the journal.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fetchStep, inPrivateFolder } from "../../../domain/by-hand.ts";
import { Failure } from "../../../domain/failure.ts";
import { showMode } from "../../../domain/file-state.ts";
import { mebibytes } from "../../../domain/human-bytes.ts";
import { isRecord } from "../../../domain/is-record.ts";
import { nearestName } from "../../../domain/nearest-name.ts";
import { stateEntry, type StateName, type StatePart } from "../../../domain/parts.ts";
import { quoteForShell } from "../../../domain/shell-quote.ts";
import { readProblem } from "../../../domain/system-error.ts";
import { missingKeys, pickKeys } from "../../../domain/state-keys.ts";
import { withSavedState } from "../../../domain/workflow/held-workflow.ts";
import type {
  CapturedPart,
  HeldPart,
  PartContent,
  PartDescription,
  PartKeeper,
  PartPreview,
  PartRestoreOrder,
  PreparedPart,
} from "../../../ports/part-keeper.ts";
import type { StateAsk, StateAskDocument } from "../../../ports/part-keepers.ts";
import { contentOf, modeOf } from "./exchange-file.ts";
import {
  isRestorable,
  readHeldState,
  sourceEntry,
  stateDigest,
  type Gathered,
} from "./held-state.ts";
import { StateRestore } from "./state-restore.ts";
import { judgeSecrets, NO_LOOK, type SecretLook } from "./state-secrets.ts";
import { jsonText, parseState } from "./state-text.ts";

export interface StateKeeperOptions {
  readonly root: string;
  readonly maxBytes: number;
  /** How git finds the checkpoints from any folder, for commands that people run by hand. */
  readonly git: string;
  /** How secrets are told; undefined: nobody looks. */
  readonly secrets?: SecretLook;
  /** The document that the session has now, where no file holds it. */
  readonly current: (name: StateName) => Promise<unknown>;
}

/** One that was asked for; `place`: where its file really is. */
interface Found extends Gathered {
  readonly place?: string;
}

export class StateKeeper implements PartKeeper<StatePart, StateAsk> {
  readonly type = "state_snapshot";
  readonly #options: StateKeeperOptions;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
  }

  async capture({ documents, keys, includeSecrets }: StateAsk): Promise<CapturedPart<StatePart>> {
    const warnings: string[] = [];
    const gathered: Gathered[] = [];
    const included: string[] = [];
    for (const asked of documents) {
      const { place, ...whole } = await this.#gather(asked, warnings);
      const isLimited = keys !== null && asked.name === "state";
      const held = isLimited ? { ...whole, value: picked(whole.value, keys) } : whole;
      const verdict = judgeSecrets(
        this.#options.secrets ?? NO_LOOK,
        {
          asked,
          place,
          value: held.value,
          whole: whole.value,
          source: held.source,
          isLimited,
        },
        includeSecrets,
      );
      if (verdict.included !== undefined) included.push(verdict.included);
      gathered.push(verdict.withSource ? held : withoutSource(held));
    }
    const all = included.length === 0 ? withOneState(gathered, keys) : gathered;
    return captured(all, keys, { warnings, included });
  }

  async captureLike({ part }: HeldPart<StatePart>): Promise<CapturedPart<StatePart>> {
    const gathered: Gathered[] = [];
    for (const { name, path } of part.documents) {
      gathered.push(
        path === null
          ? fromSession(name, await this.#options.current(name))
          : await this.#gatherNow(name, path),
      );
    }
    return captured(gathered, part.keys, { warnings: [], included: [] });
  }

  async verify(held: HeldPart<StatePart>): Promise<readonly string[]> {
    try {
      await readHeldState(held);
      return [];
    } catch (error) {
      if (error instanceof Failure) return [error.message];
      throw error;
    }
  }

  async preview(held: HeldPart<StatePart>): Promise<PartPreview> {
    const restore = new StateRestore(this.#options, await readHeldState(held), undefined);
    return restore.preview();
  }

  async prepare({ to, expected }: PartRestoreOrder<StatePart>): Promise<PreparedPart> {
    return new StateRestore(this.#options, await readHeldState(to), await readHeldState(expected));
  }

  describe({ part, revision }: HeldPart<StatePart>): Promise<PartDescription> {
    const names = part.documents.map(({ name, path }) =>
      path === null ? name : `${name} (${path})`,
    );
    const limited = part.keys === null ? "" : `, only ${part.keys.join(", ")}`;
    const { git, root } = this.#options;
    const commands = part.documents.flatMap(({ name, path, mode, bytes }) => {
      if (path === null || mode === null || part.keys !== null) return [];
      const to = join(root, path);
      return inPrivateFolder([
        fetchStep({ git, revision: revision(sourceEntry(name)), bytes }, "state"),
        `mkdir -p ${quoteForShell(dirname(to))}`,
        `cat state > ${quoteForShell(to)}`,
      ]);
    });
    return Promise.resolve({
      summary: `state: ${names.join(", ")}${limited}`,
      commands,
      prerequisites: [],
      rollbackNeeds: [],
    });
  }

  async #gather(asked: StateAskDocument, warnings: string[]): Promise<Found> {
    const { name } = asked;
    if (asked.kind === "value") return fromSession(name, jsonValue(asked.value, name));
    if (asked.kind === "text") {
      this.#checkSize(Buffer.byteLength(asked.text), `--${name}`);
      const { value, isInexact } = await parseState(Buffer.from(asked.text), `--${name}`);
      if (isInexact) warnings.push(`--${name}: ${INEXACT}`);
      return fromSession(name, value);
    }
    const { path, inside } = this.#locate(asked.path, name);
    this.#checkSize(statSync(path).size, asked.path);
    const source = readFileSync(path);
    const { format, value, isInexact } = await parseState(source, asked.path);
    if (isInexact)
      warnings.push(`${asked.path}: ${INEXACT}; the bytes of the file are stored as they are`);
    if (inside === undefined) {
      warnings.push(
        `${asked.path} is outside the project: its content is stored and restored into the session, but the file is not written`,
      );
      return { ...fromSession(name, value), place: path };
    }
    return {
      document: { name, path: inside, format, mode: modeText(path), bytes: source.length },
      value,
      source,
      place: inside,
    };
  }

  /** Whatever is there, also what cannot be read as a document: it is about to be replaced. */
  async #gatherNow(name: StateName, path: string): Promise<Gathered> {
    const at = join(this.#options.root, path);
    const source = contentOf(at);
    const mode = modeText(at);
    if (source === undefined) {
      return { document: { name, path, format: null, mode, bytes: 0 }, value: undefined, source };
    }
    const document = { name, path, mode, bytes: source.length };
    try {
      const { format, value } = await parseState(source, path);
      return { document: { ...document, format }, value, source };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { document: { ...document, format: null }, value: undefined, source };
    }
  }

  #locate(given: string, name: StateName): { path: string; inside: string | undefined } {
    let path: string;
    try {
      path = realpathSync(given);
      if (!statSync(path).isFile()) throw new Error("it is not a file");
    } catch (error) {
      throw new Failure("usage", `--${name}: ${given} cannot be read: ${readProblem(error)}`, {
        hint: "Name a JSON or YAML file, or `-` for standard input. No checkpoint was created.",
        cause: error,
      });
    }
    const inside = relative(realpathSync(this.#options.root), path).split(sep).join("/");
    const isInside = !isAbsolute(inside) && isRestorable(inside);
    return { path, inside: isInside ? inside : undefined };
  }

  #checkSize(bytes: number, what: string): void {
    const { maxBytes } = this.#options;
    if (bytes <= maxBytes) return;
    throw new Failure(
      "over_budget",
      `${what} is too large: ${mebibytes(bytes)}, and the limit is ${mebibytes(maxBytes)}`,
      {
        hint: "Save a smaller document, or raise capture.max_state_mb in waymark.yml. No checkpoint was created.",
      },
    );
  }
}

const INEXACT = "it has numbers with more digits than JSON keeps; they are stored rounded";

/** Their bytes are not held, so a number that is rounded would come back as another. */
function refuseRounded(value: unknown): unknown {
  for (let level: unknown[] = [value]; level.length > 0;) {
    if (level.some((item) => Number.isInteger(item) && !Number.isSafeInteger(item))) {
      throw new Failure("usage", "--state-key: a number there has more digits than JSON keeps", {
        hint: "Store the whole state, whose file is restored byte for byte, or write the number as a string. No checkpoint was created.",
      });
    }
    level = level.flatMap((item) =>
      item !== null && typeof item === "object" ? Object.values(item) : [],
    );
  }
  return value;
}

function picked(value: unknown, keys: readonly string[]): unknown {
  const [missing] = missingKeys(value, keys);
  if (missing === undefined) return refuseRounded(pickKeys(value, keys));
  const there = value !== null && typeof value === "object" ? Object.keys(value) : [];
  const nearest = nearestName(missing, there);
  throw new Failure("usage", `--state-key: the state has no ${missing}`, {
    hint:
      (nearest === undefined ? "" : `Did you mean ${nearest}? `) +
      `It has: ${there.slice(0, 20).join(", ") || "no keys"}. No checkpoint was created.`,
  });
}

function fromSession(name: StateName, value: unknown): Gathered {
  const bytes = value === undefined ? 0 : jsonText(value).length;
  const format = value === undefined ? null : ("json" as const);
  return { document: { name, path: null, format, mode: null, bytes }, value, source: undefined };
}

/** What is saved with the checkpoint is in the workflow's progress, too. */
function withOneState(
  gathered: readonly Gathered[],
  keys: readonly string[] | null,
): readonly Gathered[] {
  const saved = new Map<string, unknown>(
    gathered.map(({ document, value }) => [document.name, value]),
  );
  return gathered.map((each) =>
    each.document.name === "workflow" && isRecord(each.value)
      ? fromSession("workflow", withSavedState(each.value, saved, keys))
      : each,
  );
}

/** As it will be read back. */
function jsonValue(value: unknown, name: StateName): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch {
    // Said below: a loop, or a value that JSON does not have.
  }
  throw new Failure("usage", `the ${name} is not a JSON value`, {
    hint: "Pass an object, a list, a string, a number, a boolean or null.",
  });
}

function modeText(path: string): string | null {
  const mode = modeOf(path);
  return mode === undefined ? null : showMode(mode);
}

/** Of a file whose other keys hold a secret. */
function withoutSource({ document, value }: Gathered): Gathered {
  return { document: { ...document, without_source: true }, value, source: undefined };
}

function captured(
  gathered: readonly Gathered[],
  keys: readonly string[] | null,
  { warnings, included }: { warnings: readonly string[]; included: readonly string[] },
): CapturedPart<StatePart> {
  const entries = new Map<string, PartContent>();
  for (const { document, value, source } of gathered) {
    const put = (name: string, bytes: Buffer): void =>
      void entries.set(name, { kind: "bytes", bytes });
    if (document.format !== null) put(stateEntry(document.name), jsonText(value));
    if (source !== undefined) put(sourceEntry(document.name), source);
  }
  return {
    part: {
      type: "state_snapshot",
      digest: stateDigest(gathered, keys),
      documents: gathered.map(({ document }) => document),
      keys,
      ...(included.length === 0 ? {} : { included_secrets: included }),
    },
    entries,
    warnings,
    discard: () => undefined,
  };
}
