/** The full check of what an archive says: its manifest, and the session documents in it. Needs zod: loaded by `import` and `export` only. */
import * as z from "zod";
import { ARCHIVE_VERSION, type ArchiveManifest } from "./archive.ts";
import { SCHEMA_VERSION } from "./checkpoint.ts";
import type { SessionDocument } from "./session.ts";

const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

const manifestSchema = z.object({
  schema_version: z.literal(ARCHIVE_VERSION),
  kind: z.literal("waymark_archive"),
  created_at: z.iso.datetime(),
  project: z.string(),
  object_format: z.enum(["sha1", "sha256"]),
  checkpoints: z.array(
    z.object({
      id: z.string(),
      commit: objectId,
      session_id: z.string(),
      created_at: z.iso.datetime(),
    }),
  ),
  sessions: z.array(z.object({ id: z.string(), commit: objectId })),
  basis: z.array(objectId),
}) satisfies z.ZodType<ArchiveManifest>;

const text = z.string().nullable();
const undoEntries = z.array(
  z.looseObject({ rollback_id: z.string(), return_id: z.string(), to_id: z.string() }),
);

const sessionSchema = z.looseObject({
  schema_version: z.literal(SCHEMA_VERSION),
  id: z.string().min(1),
  implicit: z.boolean(),
  status: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  worktrees: z.record(
    z.string(),
    z.looseObject({
      epoch: text,
      epochs: z.record(z.string(), z.looseObject({ base_id: z.string(), seq: z.number() })),
      undo: undoEntries,
      redo: undoEntries,
    }),
  ),
  history: z.array(z.looseObject({ id: z.string(), kind: z.string(), worktree_id: z.string() })),
});

export type Read<Document> =
  | { readonly kind: "ok"; readonly document: Document }
  | { readonly kind: "wrong"; readonly problem: string };

export function readManifest(json: string): Read<ArchiveManifest> {
  return read(json, manifestSchema);
}

/** Of the whole document only the id is of use to who reads an archive. */
export function readSession(json: string): Read<Pick<SessionDocument, "id">> {
  return read(json, sessionSchema);
}

function read<Document>(json: string, schema: z.ZodType<Document>): Read<Document> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { kind: "wrong", problem: "it is not valid JSON" };
  }
  const result = schema.safeParse(value);
  if (result.success) return { kind: "ok", document: result.data };
  const [issue] = result.error.issues;
  return { kind: "wrong", problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` };
}
