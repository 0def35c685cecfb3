/** A database as a checkpoint holds it: its manifest, checked against the document, and the dump that it names. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import type { DatabasePart } from "../../domain/parts.ts";
import type { HeldPart } from "../../ports/part-keeper.ts";
import { contentDigest, rowsIn } from "./database-content.ts";
import {
  MANIFEST,
  parseManifest,
  type DatabaseManifest,
  type DumpFile,
} from "./database-manifest.ts";

export async function manifestOf(held: HeldPart<DatabasePart>): Promise<DatabaseManifest> {
  const { part, checkpointId } = held;
  const manifest = parseManifest(await held.read(`${part.folder}/${MANIFEST}`), checkpointId);
  const isTheSame =
    manifest.engine === part.engine &&
    contentDigest(manifest.engine, manifest.content) === part.digest;
  if (!isTheSame) throw damagedDatabase(held, "its manifest does not match the checkpoint");
  return manifest;
}

/** What a part that came from elsewhere says about itself is so, without a file being written. */
export async function checkForeignDatabase(held: HeldPart<DatabasePart>): Promise<void> {
  const { folder, bytes, tables, rows } = held.part;
  if (!/^database\/[1-9]\d{0,3}$/.test(folder)) {
    throw damagedDatabase(held, `it names the folder ${JSON.stringify(folder)}`);
  }
  const { files, content } = await manifestOf(held);
  const counted = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const isCounted =
    counted === bytes &&
    Object.keys(content?.tables ?? {}).length === tables &&
    rowsIn(content) === rows;
  if (!isCounted) throw damagedDatabase(held, "its manifest does not match the document");
  // It stays on its machine unless the user says otherwise.
  if (!(await held.isHere())) return;
  for (const [name, file] of Object.entries(files)) {
    const dump = await held.read(`${folder}/${name}`);
    const sha256 = createHash("sha256").update(dump).digest("hex");
    refuseOther(held, name, file, { sha256, bytes: dump.length });
  }
}

export async function extractDump(
  held: HeldPart<DatabasePart>,
  manifest: DatabaseManifest,
  folder: string,
): Promise<void> {
  for (const [name, file] of Object.entries(manifest.files)) {
    await held.extract(`${held.part.folder}/${name}`, join(folder, name));
    refuseOther(held, name, file, await describeFile(join(folder, name)));
  }
}

export async function describeFile(path: string): Promise<DumpFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    const data = chunk as Buffer;
    hash.update(data);
    bytes += data.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

function refuseOther(
  held: HeldPart<DatabasePart>,
  name: string,
  { sha256, bytes }: DumpFile,
  found: DumpFile,
): void {
  if (found.sha256 === sha256 && found.bytes === bytes) return;
  throw damagedDatabase(held, `${held.part.folder}/${name} differs from what was written`);
}

export function damagedDatabase(held: HeldPart<DatabasePart>, what: string): Failure {
  return new Failure(
    "checkpoint_damaged",
    `the database ${held.part.label} in ${held.checkpointId} cannot be used: ${what}`,
    { hint: "Use another checkpoint; `waymark validate` shows which ones are intact." },
  );
}
