/** Archives whose parts beside the work tree were made to do harm: each is refused, and nothing is changed. */
import { describe, expect, it } from "vitest";
import { contentHashOf } from "../../src/adapters/git/content-hash.ts";
import { decodeTree } from "../../src/adapters/git/tree-object.ts";
import { gitPartOf } from "../../src/domain/checkpoint.ts";
import { type Part } from "../../src/domain/parts.ts";
import { expectExit } from "../support/cli.ts";
import { items } from "../support/json.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { withHostileScene } from "./scene.ts";
import { type RawEntry, sha256, type Workshop } from "./workshop.ts";

const DIGEST = `sha256:${"0".repeat(64)}`;

async function withParts(repo: TempRepository): Promise<readonly string[]> {
  await repo.write("flow/state.yml", "phase: plan\n");
  return ["--scope", "*.log", "flow", "--state", `${repo.root}/flow/state.yml`];
}

/** Other files in the checkpoint's tree (by path; null: gone) and other parts in the document. */
function change(
  workshop: Workshop,
  files: Readonly<Record<string, string | null>>,
  parts: (parts: readonly Part[]) => readonly object[] = (same) => same,
): Buffer {
  let tree = workshop.rootTree;
  for (const [path, content] of Object.entries(files)) {
    tree = withFile(workshop, tree, path.split("/"), content);
  }
  workshop.remake({
    tree,
    document: (old) => {
      const next = parts(old.parts.slice(1));
      const state = old.parts.find(({ type }) => type === "state_snapshot");
      return {
        ...old,
        parts: [{ ...gitPartOf(old), digest: tree }, ...next],
        state_digest: state?.digest ?? null,
        content_hash: contentHashOf(decodeTree(workshop.read(tree).content, "sha1")),
      };
    },
  });
  workshop.manifest();
  return workshop.bytes();
}

function withFile(
  workshop: Workshop,
  tree: string | undefined,
  [name = "", ...rest]: readonly string[],
  content: string | null,
): string {
  const old = tree === undefined ? [] : workshop.entries(tree);
  const others = old.filter((entry) => entry.name !== name);
  const inner = old.find((entry) => entry.name === name);
  const fresh: RawEntry[] =
    rest.length > 0
      ? [{ mode: "40000", name, oid: withFile(workshop, inner?.oid, rest, content) }]
      : content === null
        ? []
        : [{ mode: "100644", name, oid: workshop.add("blob", content) }];
  const key = (entry: RawEntry): string => (entry.mode === "40000" ? `${entry.name}/` : entry.name);
  return workshop.tree(
    [...others, ...fresh].toSorted((left, right) => (key(left) < key(right) ? -1 : 1)),
  );
}

const digest = (text: string): string => `sha256:${sha256(text)}`;

/** The file backup with this manifest, which the document names rightly. */
function manifest(text: string, files = 1, bytes = 1) {
  return (workshop: Workshop): Buffer =>
    change(workshop, { "files/manifest.json": text }, (parts) =>
      parts.map((part) =>
        part.type === "file_backup" ? { ...part, digest: digest(text), files, bytes } : part,
      ),
    );
}

const entry = (path: string, more: object = {}): string =>
  JSON.stringify({
    schema_version: 1,
    files: [
      {
        path,
        place: path.startsWith("/") ? "outside" : "project",
        type: "file",
        sha256: "0".repeat(64),
        size: 1,
        mode: "0644",
        ...more,
      },
    ],
    left_out: [],
    absent_folders: [],
  });

/** The state part with other fields of its document, and a digest that may or may not be right. */
function state(more: object, files: Record<string, string | null> = {}) {
  return (workshop: Workshop): Buffer =>
    change(workshop, files, (parts) =>
      parts.map((part) =>
        part.type === "state_snapshot"
          ? { ...part, documents: part.documents.map((document) => ({ ...document, ...more })) }
          : part,
      ),
    );
}

function database(files: Record<string, string | null>, more: object = {}) {
  const part = {
    type: "database_savepoint",
    digest: DIGEST,
    engine: "sqlite",
    label: "app.db",
    source: "sqlite:app.db",
    folder: "database/1",
    bytes: 0,
    tables: 0,
    rows: 0,
    ...more,
  };
  return (workshop: Workshop): Buffer => change(workshop, files, (parts) => [...parts, part]);
}

const dump = (files: unknown, more: object = {}): string =>
  JSON.stringify({
    schema_version: 1,
    engine: "sqlite",
    state: "captured",
    database: "app.db",
    files,
    content: { schema: "0".repeat(64), tables: {} },
    ...more,
  });

const HOSTILE: readonly [string, RegExp, (workshop: Workshop) => Buffer][] = [
  [
    "without its manifest of files",
    /manifest\.json/,
    (w) => change(w, { "files/manifest.json": null }),
  ],
  [
    "with another manifest of files",
    /manifest/,
    (w) => change(w, { "files/manifest.json": entry("a.log") }),
  ],
  ["with a manifest that is no JSON", /manifest/, manifest("{")],
  ["with a manifest that leads out", /\.\.\/x/, manifest(entry("../x"))],
  ["with a manifest that leads into .git", /\.git\/config/, manifest(entry(".git/config"))],
  ["with a manifest that leads into our folder", /checkpoints/, manifest(entry(".checkpoints/x"))],
  ["with a manifest that leads out from the root", /names/, manifest(entry("/../x"))],
  ["with a file of no kind", /an entry is invalid/, manifest(entry("a.log", { type: "device" }))],
  ["with a mode that is none", /an entry is invalid/, manifest(entry("a.log", { mode: "rwx" }))],
  ["with more files than it has", /does not list the expected files/, manifest(entry("a.log"), 2)],
  [
    "with two backups of files",
    /twice/,
    (w) =>
      change(w, {}, (parts) => [...parts, ...parts.filter(({ type }) => type === "file_backup")]),
  ],
  [
    "with a pattern that is none",
    /pattern/,
    (w) =>
      change(w, {}, (parts) =>
        parts.map((part) => (part.type === "file_backup" ? { ...part, outside: ["etc"] } : part)),
      ),
  ],
  ["without its state", /state\.json/, (w) => change(w, { "state.json": null })],
  ["without the file of its state", /state\.source/, (w) => change(w, { "state.source": null })],
  ["with another state", /state/, (w) => change(w, { "state.json": '{"phase":"evil"}' })],
  ["with a state that is no JSON", /JSON/, (w) => change(w, { "state.json": "{" })],
  [
    "with a state without a bottom",
    /deep/,
    (w) => change(w, { "state.json": `${"[".repeat(20_000)}${"]".repeat(20_000)}` }),
  ],
  ["with a state for git", /\.git\/config/, state({ path: ".git/config" })],
  ["with a state for git of another case", /\.GIT\/config/i, state({ path: ".GIT/config" })],
  ["with a state out of the project", /\.\.\/x/, state({ path: "../x" })],
  ["with a state for any file", /\/etc\/passwd/, state({ path: "/etc/passwd" })],
  ["with a state in our folder", /checkpoints/, state({ path: ".checkpoints/audit.log" })],
  ["with a mode of a state that is none", /mode/, state({ mode: "99999" })],
  [
    "with two states of one name",
    /twice/,
    (w) =>
      change(w, {}, (parts) =>
        parts.map((part) =>
          part.type === "state_snapshot"
            ? { ...part, documents: [...part.documents, ...part.documents] }
            : part,
        ),
      ),
  ],
  ["without the dump that it names", /manifest\.json/, database({})],
  ["with a database outside of its folder", /folder/, database({}, { folder: "../database" })],
  ["with a database in the place of files", /folder/, database({}, { folder: "files" })],
  ["with a database of no known kind", /parts/, database({}, { engine: "oracle" })],
  [
    "with a database manifest that is null",
    /cannot be read/,
    database({ "database/1/manifest.json": "null" }),
  ],
  [
    "with files that are null",
    /cannot be read/,
    database({ "database/1/manifest.json": dump(null) }),
  ],
  [
    "with a dump that leads out",
    /cannot be read/,
    database({
      "database/1/manifest.json": dump({ "../x": { sha256: "0".repeat(64), bytes: 1 } }),
    }),
  ],
  [
    "with tables that are text",
    /cannot be read/,
    database({ "database/1/manifest.json": dump({}, { content: { schema: "", tables: "all" } }) }),
  ],
  [
    "with another database than the document says",
    /does not match the checkpoint/,
    database({ "database/1/manifest.json": dump({}) }),
  ],
  [
    "with two work trees",
    /more than one/,
    (w) => {
      const part = gitPartOf(w.document);
      w.remake({ document: (old) => ({ ...old, parts: [...old.parts, part] }) });
      w.manifest();
      return w.bytes();
    },
  ],
  [
    "with a state that the document does not name",
    /state_digest/,
    (w) => {
      w.remake({ document: (old) => ({ ...old, state_digest: DIGEST }) });
      w.manifest();
      return w.bytes();
    },
  ],
];

describe("an archive with hostile parts", () => {
  it("is told from an honest one", async () => {
    await withHostileScene(async ({ workshop, importBytes }) => {
      const result = await importBytes(change(workshop, {}));
      expectExit(result, 0);
      expect(items(result.json, "imported")).toEqual([workshop.id]);
    }, withParts);
  });

  it("[R76] is refused, and nothing is changed", async () => {
    await withHostileScene(async (scene) => {
      for (const [name, words, make] of HOSTILE) {
        const result = await scene.importBytes(make(scene.workshop.copy()));
        try {
          await scene.expectRefused(result, words);
        } catch (error) {
          throw new Error(`an archive ${name}`, { cause: error });
        }
      }
    }, withParts);
  }, 180_000);
});
