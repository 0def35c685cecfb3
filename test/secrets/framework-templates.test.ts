// Ordinary files of real projects: nothing that a framework puts into a new one may be kept out of a checkpoint.
import { cp, readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { hasTemplates, templatesFolder } from "../../scripts/test-templates.mjs";
import { scanContent } from "../../src/adapters/files/scan-content.ts";
import { asBytePath } from "../../src/domain/byte-path.ts";
import { verdictOf } from "../../src/domain/secrets/judge-file.ts";
import { nameKind } from "../../src/domain/sensitive-name.ts";
import { withSeed } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";

async function templateFiles(): Promise<string[]> {
  const found = await readdir(templatesFolder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => relative(templatesFolder, join(entry.parentPath, entry.name)));
}

describe.skipIf(!hasTemplates())("files of project templates", () => {
  it("[R175] are no secrets, by name and content, and hardly any is suspected", async () => {
    const files = await templateFiles();
    expect(files.length).toBeGreaterThan(1000);
    const verdicts = await Promise.all(
      files.map(async (path) => {
        const kind = nameKind(asBytePath(Buffer.from(path).toString("latin1")));
        const rule = scanContent(await readFile(join(templatesFolder, path)), kind);
        return { path, verdict: verdictOf(kind, rule) };
      }),
    );
    expect(verdicts.filter(({ verdict }) => verdict?.isSure === true)).toEqual([]);
    // The bundled code of one tool has an address with a password in it.
    const suspected = verdicts.filter(({ verdict }) => verdict !== undefined);
    expect(suspected.length).toBeLessThanOrEqual(1);
    for (const name of [".env", ".yarnrc.yml", "debug.keystore"]) {
      expect(files.some((path) => path.endsWith(`/${name}`))).toBe(true);
    }
  });

  it("[R175] are all captured", async () => {
    await withSeed(async (project) => {
      await cp(templatesFolder, String(project.repo.path("templates")), { recursive: true });
      const { json } = await project.ok("create", "-m", "templates");
      const left = items(json, "checkpoint", "coverage", "excluded")
        .filter((entry) => text(entry, "path").startsWith("templates/"))
        .filter((entry) => field(entry, "reason") !== "ignored");
      expect(left).toEqual([]);
    });
  });
});
