/**
 * Reads what older tools wrote.
 *
 * Obligations: the source is opened for reading and never written; one piece that cannot be read, is too large or is not what it
 * should be is named and does not hide the others; nothing outside of the named folder or file is read; values that come out
 * hold no secrets that can be told, and are nested less deep than a walk through them can bear.
 */
import type { OldFormat } from "../domain/old-formats/old-formats.ts";
import type { NotCarried, ReadSession } from "../domain/old-formats/old-session.ts";
import type { Progress } from "./progress.ts";

export interface OldFormatOrder {
  readonly format: OldFormat;
  /** A folder, or a file where the format is one. */
  readonly path: string;
  readonly progress: Progress;
}

export interface OldFormatContent {
  /** Where it is, with links resolved. */
  readonly path: string;
  readonly sessions: readonly ReadSession[];
  /** What belongs to no session. */
  readonly problems: readonly NotCarried[];
}

export interface OldFormats {
  /** Fails with checkpoint_not_found when there is nothing of that format, and with file_not_found when there is nothing at all. */
  read(order: OldFormatOrder): Promise<OldFormatContent>;
  /** What is in a project where the tools put it by themselves. */
  lookIn(root: string): { readonly format: OldFormat; readonly path: string }[];
}
