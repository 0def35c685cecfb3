/** Databases that differ between two checkpoints, by what each of them says about its dump. */
import { counted } from "../domain/counted.ts";
import { isRecord } from "../domain/is-record.ts";
import type { DatabasePart } from "../domain/parts.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import type { PartDifference } from "./part-differences.ts";

const sizeOf = ({ rows, tables }: DatabasePart): string =>
  `${counted(rows, "row")} in ${counted(tables, "table")}`;

/** Of what both hold. Nothing is said where an older version read one of them in another way: then digests differ of themselves. */
export async function databasesBetween(
  from: readonly HeldPart[],
  to: readonly HeldPart[],
): Promise<PartDifference[]> {
  const later = new Map(to.filter(isDatabase).map((held) => [held.part.source, held]));
  const found: PartDifference[] = [];
  for (const held of from.filter(isDatabase)) {
    const { part } = held;
    const other = later.get(part.source);
    if (other === undefined || other.part.digest === part.digest) continue;
    const [before, after] = [await readingOf(held), await readingOf(other)];
    if (before !== "any" && after !== "any" && before !== after) continue;
    const summary = `${sizeOf(part)} then, ${sizeOf(other.part)} later`;
    found.push({ type: part.type, what: part.label, change: "modified", summary });
  }
  return found;
}

/** Any: there was no such database, however one reads it. */
async function readingOf(held: HeldPart<DatabasePart>): Promise<number | "any"> {
  const bytes = await held.read(`${held.part.folder}/manifest.json`);
  const manifest = parsed(bytes.toString("utf8"));
  const content = isRecord(manifest) ? manifest["content"] : undefined;
  if (!isRecord(content)) return "any";
  const { reading } = content;
  return typeof reading === "number" ? reading : 1;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // `validate` says so.
    return undefined;
  }
}

function isDatabase(held: HeldPart): held is HeldPart<DatabasePart> {
  return held.part.type === "database_savepoint";
}
