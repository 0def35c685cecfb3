/**
 * Builds archives by hand, from objects that no honest program writes. Everything is held in memory and packed here, so
 * that git cannot refuse to make it.
 */
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { CheckpointDocument } from "../../src/domain/checkpoint.ts";
import { documentMessage, withChecksum } from "../../src/domain/document-text.ts";
import { runCommand } from "../support/run-command.ts";
import { type TempRepository } from "../support/temp-repository.ts";

type ObjectType = "commit" | "tree" | "blob" | "tag";

interface StoredObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

export interface RawEntry {
  readonly mode: string;
  readonly name: string;
  readonly oid: string;
}

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const sha1 = (bytes: Buffer): Buffer => createHash("sha1").update(bytes).digest();

export class Workshop {
  readonly objects = new Map<string, StoredObject>();
  /** Full ref names, as the honest archive has them. */
  readonly refs = new Map<string, string>();
  /** Objects that the pack does not get. */
  readonly leftOut = new Set<string>();
  /** What the honest manifest says about the checkpoint. */
  facts = { session_id: "", created_at: "" };

  /** Everything that an honest archive holds. */
  static async of(repo: TempRepository, archive: string): Promise<Workshop> {
    const workshop = new Workshop();
    const scratch = repo.at("scratch.git");
    await runCommand("git", ["init", "-q", "--bare", scratch.root], { env: repo.env });
    await scratch.git("fetch", "-q", archive, "refs/*:refs/*");
    const listing = await scratch.git("for-each-ref", "--format=%(refname) %(objectname)");
    for (const line of listing.split("\n").filter(Boolean)) {
      const [name = "", oid = ""] = line.split(" ");
      workshop.refs.set(name, oid);
    }
    const all = await scratch.tryGit(["cat-file", "--batch-all-objects", "--batch"]);
    let at = 0;
    while (at < all.stdout.length) {
      const end = all.stdout.indexOf("\n", at);
      const [, type = "", size = ""] = all.stdout.toString("latin1", at, end).split(" ");
      const content = Buffer.from(all.stdout.subarray(end + 1, end + 1 + Number(size)));
      workshop.add(type as ObjectType, content);
      at = end + 2 + Number(size);
    }
    const { session_id, created_at } = workshop.document;
    workshop.facts = { session_id, created_at };
    return workshop;
  }

  copy(): Workshop {
    const copy = new Workshop();
    for (const [oid, object] of this.objects) copy.objects.set(oid, object);
    for (const [name, oid] of this.refs) copy.refs.set(name, oid);
    copy.facts = this.facts;
    return copy;
  }

  add(type: ObjectType, content: Buffer | string): string {
    const bytes = typeof content === "string" ? Buffer.from(content, "latin1") : content;
    const oid = sha1(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes])).toString(
      "hex",
    );
    this.objects.set(oid, { type, content: bytes });
    return oid;
  }

  /** In the order that they are given, sorted or not. */
  tree(entries: readonly RawEntry[]): string {
    return this.add(
      "tree",
      Buffer.concat(
        entries.flatMap(({ mode, name, oid }) => [
          Buffer.from(`${mode} ${name}\0`, "latin1"),
          Buffer.from(oid, "hex"),
        ]),
      ),
    );
  }

  entries(tree: string): RawEntry[] {
    const { content } = this.read(tree);
    const entries: RawEntry[] = [];
    for (let at = 0; at < content.length;) {
      const end = content.indexOf(0, at);
      const [mode = "", name = ""] = content.toString("latin1", at, end).split(" ", 2);
      entries.push({ mode, name, oid: content.toString("hex", end + 1, end + 21) });
      at = end + 21;
    }
    return entries;
  }

  read(oid: string): StoredObject {
    const object = this.objects.get(oid);
    if (object === undefined) throw new Error(`there is no object ${oid}`);
    return object;
  }

  get checkpointRef(): string {
    const found = [...this.refs.keys()].find((name) => name.startsWith("refs/waymark/cp/"));
    if (found === undefined) throw new Error("the archive has no checkpoint");
    return found;
  }

  get sessionRef(): string {
    const found = [...this.refs.keys()].find((name) => name.startsWith("refs/waymark/session/"));
    if (found === undefined) throw new Error("the archive has no session");
    return found;
  }

  get id(): string {
    return this.checkpointRef.slice("refs/waymark/cp/".length);
  }

  get document(): CheckpointDocument {
    const message = this.#commit().message;
    return JSON.parse(message.slice(message.indexOf("\n\n{") + 2)) as CheckpointDocument;
  }

  #commit(): { tree: string; parents: string[]; message: string } {
    const text = this.read(this.refs.get(this.checkpointRef) ?? "").content.toString("utf8");
    const end = text.indexOf("\n\n");
    const head = text.slice(0, end);
    return {
      tree: /^tree ([0-9a-f]+)/.exec(head)?.[1] ?? "",
      parents: [...head.matchAll(/^parent ([0-9a-f]+)/gm)].map(([, oid = ""]) => oid),
      message: text.slice(end + 2),
    };
  }

  get rootTree(): string {
    return this.#commit().tree;
  }

  /** Writes the checkpoint anew, with a right checksum unless the message is given. */
  remake(change: {
    readonly document?: (document: CheckpointDocument) => object;
    readonly tree?: string;
    readonly parents?: readonly string[];
    readonly message?: string;
  }): void {
    const old = this.#commit();
    const changed = (change.document?.(this.document) ?? this.document) as CheckpointDocument;
    const message = change.message ?? documentMessage(withChecksum(changed, sha256));
    const who = "Waymark <waymark@localhost> 1763232000 +0000";
    const lines = [
      `tree ${change.tree ?? old.tree}`,
      ...(change.parents ?? old.parents).map((oid) => `parent ${oid}`),
      `author ${who}`,
      `committer ${who}`,
    ];
    const oid = this.add("commit", Buffer.from(`${lines.join("\n")}\n\n${message}`));
    this.refs.set(this.checkpointRef, oid);
  }

  /** Puts other content into a part of the checkpoint, and says so in the document. */
  replacePart(name: string, mode: string, oid: string): void {
    const keys: Record<string, string> = {
      worktree: "worktree",
      index: "index",
      "worktree.json": "details",
      "index.raw": "index_raw",
      operation: "operation",
    };
    const others = this.entries(this.rootTree).filter((entry) => entry.name !== name);
    const key = (entry: RawEntry): string =>
      entry.mode === "40000" ? `${entry.name}/` : entry.name;
    const entries = [...others, { mode, name, oid }].toSorted((left, right) =>
      key(left) < key(right) ? -1 : 1,
    );
    const tree = this.tree(entries);
    this.remake({
      tree,
      document: (document) => {
        const part = { ...document.parts[0], digest: tree, [keys[name] ?? ""]: oid };
        return { ...document, parts: [part], content_hash: contentHash(entries) };
      },
    });
  }

  /** `change` is for manifests that lie. */
  manifest(
    change: (manifest: Record<string, unknown>) => object = (same) => same,
    basis: readonly string[] = [],
  ): void {
    const of = (folder: string): [string, string][] =>
      [...this.refs]
        .filter(([name]) => name.startsWith(folder))
        .map(([name, oid]) => [name.slice(folder.length), oid]);
    const manifest = {
      schema_version: 1,
      kind: "waymark_archive",
      created_at: "2026-11-15T18:45:30.000Z",
      project: "project",
      object_format: "sha1",
      checkpoints: of("refs/waymark/cp/").map(([id, commit]) => ({
        id,
        commit,
        ...this.facts,
      })),
      sessions: of("refs/waymark/session/").map(([id, commit]) => ({ id, commit })),
      basis,
    };
    const blob = this.add("blob", JSON.stringify(change(manifest)));
    const tree = this.tree([{ mode: "100644", name: "manifest.json", oid: blob }]);
    const who = "Waymark <waymark@localhost> 1763232000 +0000";
    const commit = this.add(
      "commit",
      `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nmanifest\n`,
    );
    this.refs.set("refs/waymark/export/manifest", commit);
  }

  header(first = "# v2 git bundle\n", basis: readonly string[] = []): Buffer {
    const lines = [...this.refs].map(([name, oid]) => `${oid} ${name}\n`);
    return Buffer.from(
      `${first}${basis.map((oid) => `-${oid} \n`).join("")}${lines.join("")}\n`,
      "latin1",
    );
  }

  pack(): Buffer {
    return rawPack(
      [...this.objects]
        .filter(([oid]) => !this.leftOut.has(oid))
        .map(([, object]) => object)
        .map(({ type, content }) => entry(TYPE_NUMBERS[type], content)),
    );
  }

  bytes(): Buffer {
    return Buffer.concat([this.header(), this.pack()]);
  }
}

export function contentHash(entries: readonly RawEntry[]): string {
  const lines = ["conflicts", "index", "worktree"].flatMap((name) => {
    const oid = entries.find((candidate) => candidate.name === name)?.oid;
    return oid === undefined ? [] : [`040000 tree ${oid}\t${name}\n`];
  });
  return `sha256:${sha256(lines.join(""))}`;
}

export function rawPack(entries: readonly Buffer[], count = entries.length): Buffer {
  const header = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
  header.writeUInt32BE(count, 8);
  const body = Buffer.concat([header, ...entries]);
  return Buffer.concat([body, sha1(body)]);
}

/** `size` is what it says about itself. */
export function entry(
  type: number,
  content: Buffer,
  size = content.length,
  between = Buffer.alloc(0),
): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size % 16);
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 0x80);
    byte = rest % 128;
  }
  bytes.push(byte);
  return Buffer.concat([Buffer.from(bytes), between, deflateSync(content)]);
}

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
};

/** An object that builds on the one that begins `distance` bytes before it and says that it makes `result` bytes. */
export function deltaEntry(
  distance: number,
  base: number,
  result: number,
  instructions: Buffer,
): Buffer {
  const offset = [distance % 128];
  for (let rest = Math.floor(distance / 128) - 1; rest >= 0; rest = Math.floor(rest / 128) - 1) {
    offset.unshift((rest % 128) | 0x80);
  }
  const delta = Buffer.concat([varint(base), varint(result), instructions]);
  return entry(6, delta, delta.length, Buffer.from(offset));
}
