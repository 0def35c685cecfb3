/**
 * Turns the raw bytes of a file into what git would have stored for it: `git stash apply` converts on the way out.
 *
 * Line ends and `$Id$` are converted by git itself. Filter drivers and encodings are not: no program of the repository
 * is run, so for a file with one the entry of the index is taken, and it is said that this is not exact.
 */
import { decodeUtf8, type BytePath } from "../../../domain/byte-path.ts";
import { conversionsOf, type Conversion } from "../converted-files.ts";
import { objectId } from "../object-hash.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { readSettings } from "../settings.ts";
import type { Leaf } from "../tree-builder.ts";

export interface CleanedLeaf {
  readonly leaf: Leaf;
  /** Git makes the very same bytes of it again. */
  readonly isExact: boolean;
}

export class BlobCleaner {
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  #conversions: ReadonlyMap<BytePath, Conversion> = new Map();

  constructor(repository: Repository, reader: ObjectReader) {
    this.#repository = repository;
    this.#reader = reader;
  }

  /** Asks git once which of these files it converts, by the attributes of now. */
  async ask(paths: readonly BytePath[]): Promise<void> {
    const settings = await readSettings(this.#repository);
    this.#conversions = await conversionsOf(this.#repository, paths, settings);
  }

  /** `staged` is the entry of the index, where there is one. */
  async clean(path: BytePath, raw: Leaf, staged: Leaf | undefined): Promise<CleanedLeaf> {
    const conversion = this.#conversions.get(path);
    if (conversion === undefined || !raw.mode.startsWith("100") || raw.oid === staged?.oid) {
      return { leaf: raw, isExact: true };
    }
    if (conversion === "any") return { leaf: { ...raw, ...oidOf(staged) }, isExact: false };
    const content = await this.#reader.readChecked(raw.oid, "blob");
    // Most are as they were checked out; those need no git process.
    const plain = Buffer.from(content.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
    if (staged !== undefined && objectId(this.#repository.hash, "blob", plain) === staged.oid) {
      return { leaf: { ...raw, oid: staged.oid }, isExact: true };
    }
    return this.#convert(path, raw, content);
  }

  async #convert(path: BytePath, raw: Leaf, content: Buffer): Promise<CleanedLeaf> {
    // An argument of a process is text.
    const name = decodeUtf8(path);
    if (name === undefined) return { leaf: raw, isExact: false };
    const at = `--path=${name}`;
    const { stdout } = await runGit(
      this.#repository,
      ["-c", "core.safecrlf=false", "hash-object", "-w", "--stdin", at],
      { input: content },
    );
    const oid = stdout.toString("latin1").trim();
    const back = await runGit(this.#repository, ["cat-file", "--filters", at, oid]);
    return { leaf: { ...raw, oid }, isExact: back.stdout.equals(content) };
  }
}

function oidOf(leaf: Leaf | undefined): { oid?: string } {
  return leaf === undefined ? {} : { oid: leaf.oid };
}
