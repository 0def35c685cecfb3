/** Restores the documents of a state snapshot to the files that they came from. */
import { join } from "node:path";
import { canonicalJson } from "../../../domain/canonical-json.ts";
import { WORKFLOW_STATE } from "../../../domain/parts.ts";
import { pickKeys } from "../../../domain/state-keys.ts";
import { comparableWorkflow } from "../../../domain/workflow/held-workflow.ts";
import type {
  PartChange,
  PartKept,
  PartPreview,
  PreparedPart,
} from "../../../ports/part-keeper.ts";
import { statOf } from "../file-stat.ts";
import { contentOf, exchangeFile, modeOf, settle, staysBelow } from "./exchange-file.ts";
import { sha256, type Side } from "./held-state.ts";
import type { StateKeeperOptions } from "./state-keeper.ts";
import { parseState, patchKeys } from "./state-text.ts";

type Held = Side["documents"][number];

export class StateRestore implements PreparedPart {
  readonly #options: StateKeeperOptions;
  readonly #to: Side;
  readonly #expected: Side | undefined;
  readonly #kept = new Set<string>();

  constructor(options: StateKeeperOptions, to: Side, expected: Side | undefined) {
    this.#options = options;
    this.#to = to;
    this.#expected = expected;
  }

  async preview(): Promise<PartPreview> {
    const changes: PartChange[] = [];
    const kept: PartKept[] = [];
    const seen: unknown[] = [];
    for (const held of this.#to.documents) {
      const { name, path } = held.document;
      if (path === null) {
        const now = await this.#options.current(name);
        seen.push({ name, now });
        const then = this.#to.keys === null ? now : picked(now, this.#to.keys);
        const isSame =
          name === "workflow"
            ? same(comparableWorkflow(then), comparableWorkflow(held.value))
            : same(then, held.value);
        if (isSame) continue;
        changes.push({
          what: name === "workflow" ? WORKFLOW_STATE : `${name} of the session`,
          operation: then === undefined ? "restored" : "changed_back",
          summary: "reverted",
        });
        continue;
      }
      const now = contentOf(this.#at(path));
      seen.push({ path, now: now?.toString("base64"), mode: modeOf(this.#at(path)) });
      const obstacle = await this.#obstacle(path, now);
      if (obstacle !== undefined) {
        kept.push({ what: path, reason: obstacle });
        continue;
      }
      if (await this.#isAt(now, held, this.#to.keys)) continue;
      changes.push({
        what: path,
        operation:
          held.document.mode === null ? "removed" : now === undefined ? "restored" : "changed_back",
        summary:
          this.#to.keys === null
            ? `the file with the ${name} is reverted`
            : `${this.#to.keys.join(", ")} of the ${name}: reverted`,
      });
    }
    return { changes, kept, now: sha256(Buffer.from(canonicalJson(seen))) };
  }

  async apply(): Promise<readonly PartKept[]> {
    const kept: PartKept[] = [];
    for (const [number, held] of this.#to.documents.entries()) {
      const { path } = held.document;
      const other = this.#expected?.documents[number];
      if (path === null || other === undefined) continue;
      const obstacle = await this.#obstacle(path, contentOf(this.#at(path)));
      if (obstacle === undefined && (await this.#exchange(path, held, other))) continue;
      this.#kept.add(path);
      kept.push({ what: path, reason: obstacle ?? "another program changed it meanwhile" });
    }
    return kept;
  }

  async mismatches(): Promise<readonly string[]> {
    const wrong: string[] = [];
    for (const held of this.#to.documents) {
      const { path } = held.document;
      if (path === null || this.#kept.has(path)) continue;
      if (!(await this.#isAt(contentOf(this.#at(path)), held, this.#to.keys))) {
        wrong.push(`${path} differs`);
      }
    }
    return wrong;
  }

  close(): void {
    // Nothing is staged before it is needed.
  }

  #at(path: string): string {
    return join(this.#options.root, path);
  }

  /** Why the file cannot be exchanged: what is in its place is held by no checkpoint, or has no keys. */
  async #obstacle(path: string, now: Buffer | undefined): Promise<string | undefined> {
    const at = this.#at(path);
    if (!staysBelow(this.#options.root, at)) return "its folder now points outside the project";
    const stat = statOf(at);
    if (stat !== undefined && !stat.isFile())
      return "something that is not a regular file is in its place now";
    if (this.#to.keys === null || now === undefined) return undefined;
    try {
      const { value } = await parseState(now, path);
      const hasKeys = value !== null && typeof value === "object" && !Array.isArray(value);
      return hasKeys ? undefined : "it no longer has keys";
    } catch {
      return "it can no longer be parsed";
    }
  }

  async #exchange(path: string, to: Held, expected: Held): Promise<boolean> {
    const at = this.#at(path);
    settle(at, (bytes) => isOneOf(bytes, [to.source, expected.source]));
    const now = contentOf(at);
    const { keys } = this.#to;
    if (await this.#isAt(now, to, keys)) return true;
    if (!(await this.#isAt(now, expected, keys))) return false;
    const after = keys === null ? to.source : await this.#withKeys(path, now, to, expected, keys);
    const then = to.document.mode === null ? undefined : Number.parseInt(to.document.mode, 8);
    const mode = (keys === null ? then : (modeOf(at) ?? then)) ?? 0o644;
    return exchangeFile({ path: at, before: now, after, mode });
  }

  /** Only these keys; but where nothing else changed, the file comes back byte for byte. */
  async #withKeys(
    path: string,
    now: Buffer | undefined,
    to: Held,
    expected: Held,
    keys: readonly string[],
  ): Promise<Buffer | undefined> {
    if (to.source !== undefined) {
      const put = await patchKeys(to.source, expected.value, keys, path);
      if (now?.equals(put) === true) return to.source;
    } else if (to.document.mode === null) {
      const put = await patchKeys(undefined, expected.value, keys, path);
      if (now?.equals(put) === true) return undefined;
    }
    return patchKeys(now, to.value, keys, path);
  }

  /** True when the file is what is held, as far as it is held. */
  async #isAt(
    now: Buffer | undefined,
    held: Held,
    keys: readonly string[] | null,
  ): Promise<boolean> {
    const { path, mode } = held.document;
    if (keys === null) {
      if (now === undefined || held.source === undefined) return now === held.source;
      const hasMode = path === null || mode === null || sameMode(this.#at(path), mode);
      return now.equals(held.source) && hasMode;
    }
    if (now === undefined) return mode === null;
    if (held.source?.equals(now) === true) return true;
    try {
      const { value } = await parseState(now, path ?? "");
      return same(picked(value, keys), picked(held.value, keys));
    } catch {
      return false;
    }
  }
}

function sameMode(at: string, mode: string): boolean {
  return modeOf(at) === Number.parseInt(mode, 8);
}

function picked(value: unknown, keys: readonly string[]): unknown {
  return value === undefined ? undefined : pickKeys(value, keys);
}

function same(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return canonicalJson(left) === canonicalJson(right);
}

function isOneOf(bytes: Buffer, known: readonly (Buffer | undefined)[]): boolean {
  return known.some((other) => other?.equals(bytes) === true);
}
