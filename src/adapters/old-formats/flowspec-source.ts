/** flowspec: one file, `.flowspec/checkpoints.json`. */
import { asBytePath, encodeUtf8 } from "../../domain/byte-path.ts";
import { isFields } from "../../domain/old-formats/field-reader.ts";
import { readFlowspec } from "../../domain/old-formats/flowspec.ts";
import type { ReadSession } from "../../domain/old-formats/old-session.ts";
import { refuseNewer } from "./parse-piece.ts";
import { PieceProblem } from "./source-folder.ts";
import type { SourceReader } from "./source-reader.ts";

/** As with a folder: a file alone must not fill the memory with records. */
const MOST_RECORDS = 20_000;

export async function readFlowspecSource(
  source: SourceReader,
  name: string,
): Promise<ReadSession[]> {
  const piece = await source.piece(asBytePath(encodeUtf8(name)));
  if (piece === undefined) return [];
  const { file, value, writtenAt } = piece;
  const list = value["checkpoints"];
  if (!Array.isArray(list)) {
    source.note("broken", file, "it has no list of checkpoints");
    return [];
  }
  const entries: { place: string; content: unknown }[] = [];
  for (const [at, content] of list.slice(0, MOST_RECORDS).entries()) {
    const place = `${file}#${at + 1}`;
    await source.attempt(place, () => {
      if (!isFields(content)) throw new PieceProblem("it is not a JSON object", "broken");
      refuseNewer(content);
      entries.push({ place, content });
      return Promise.resolve();
    });
  }
  if (list.length > MOST_RECORDS) {
    source.note("too_large", file, `only the first ${MOST_RECORDS} of its checkpoints are read`);
  }
  return readFlowspec({ file, content: value, entries, writtenAt });
}
