/** The full check of what an archive says: its manifest. Needs zod: loaded by `import` and `export` only. */
import * as z from "zod";
import { ARCHIVE_VERSION, type ArchiveManifest } from "./archive.ts";

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
      local: objectId.optional(),
    }),
  ),
  sessions: z.array(z.object({ id: z.string(), commit: objectId })),
  basis: z.array(objectId),
}) satisfies z.ZodType<ArchiveManifest>;

export type Read<Document> =
  | { readonly kind: "ok"; readonly document: Document }
  | { readonly kind: "wrong"; readonly problem: string };

export function readManifest(json: string): Read<ArchiveManifest> {
  return read(json, manifestSchema);
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
