import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit, said } from "../support/cli.ts";
import { field, items, text } from "../support/json.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";
import { SECRET_FILE, TOKEN } from "./fake-secrets.ts";

/** One checkpoint with secrets in it, one without. */
async function twoCheckpoints(project: RuleProject): Promise<{ plain: string; secret: string }> {
  const { repo } = project;
  await repo.write("deploy.ts", SECRET_FILE);
  await repo.write("conf/.env", "A=1\n");
  const plain = await project.create();
  const secret = await project.create("--include-secrets", ".");
  return { plain, secret };
}

const exportedIds = (json: unknown): unknown[] =>
  items(json, "checkpoints").map((each) => field(each, "id"));

describe("export and secrets", () => {
  it("[R53] refuses a named checkpoint that holds one, with path and reason and no value", async () => {
    await withSeed(async (project) => {
      const { plain, secret } = await twoCheckpoints(project);
      const file = join(project.repo.base, "x.bundle");
      const result = await project.run("export", secret, plain, "-o", file);
      expectExit(result, 5);
      expect(field(result.json, "error", "code")).toBe("secrets_held");
      expect(errorMessage(result)).toContain("conf/.env (its name says that it holds a secret)");
      expect(errorMessage(result)).toContain("deploy.ts (looks like a secret: GitHub token)");
      expect(text(result.json, "error", "hint")).toContain("--include-secrets");
      expect(said(result)).not.toContain(TOKEN);
      await expect(readFile(file)).rejects.toThrow("ENOENT");
      expectExit(await project.run("export", plain, "-o", file), 0);
    });
  });

  it("[R53] without a name leaves such checkpoints here and says which and why", async () => {
    await withSeed(async (project) => {
      const { plain, secret } = await twoCheckpoints(project);
      const result = await project.ok("export", "-o", "../all.bundle");
      expect(exportedIds(result.json)).toEqual([plain]);
      expect(field(result.json, "skipped", "0", "id")).toBe(secret);
      expect(text(result.json, "skipped", "0", "problem")).toContain(
        "deploy.ts (looks like a secret: GitHub token)",
      );
    });
  });

  it("fails when nothing would be left", async () => {
    await withSeed(async (project) => {
      await project.repo.write(".env", "A=1\n");
      await project.create("--include-secrets", ".env");
      expectExit(await project.run("export"), 5);
    });
  });

  it("lets them out when every one of them is named, and records it", async () => {
    await withSeed(async (project) => {
      const { secret } = await twoCheckpoints(project);
      expectExit(await project.run("export", secret, "--include-secrets", "deploy.ts"), 5);
      const args = ["--include-secrets", "deploy.ts", "conf"];
      const result = await project.ok("export", secret, "-o", "../x.bundle", ...args);
      expect(items(result.json, "included_secrets")).toEqual([
        { id: secret, path: "conf/.env", reason: "sensitive" },
        { id: secret, path: "deploy.ts", reason: "sensitive_content", detail: "github-token" },
      ]);
      const log = await project.ok("log");
      expect(said(log)).not.toContain(TOKEN);
      const all = await project.ok("export", "-o", "../all.bundle", "--include-secrets", ".");
      expect(exportedIds(all.json)).toContain(secret);
    });
  });

  it("refuses a name that none of them holds as a secret", async () => {
    await withSeed(async (project) => {
      const { secret } = await twoCheckpoints(project);
      const result = await project.run("export", secret, "--include-secrets", "a.txt");
      expectExit(result, 2);
      expect(errorMessage(result)).toContain("none of these checkpoints holds a.txt as a secret");
    });
  });

  it("does not mind secrets that git tracks, has in conflict or only knows of", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("staged.ts", SECRET_FILE);
      await repo.write("announced.ts", SECRET_FILE);
      await repo.git("add", "staged.ts");
      await repo.git("add", "-N", "announced.ts");
      const blob = (await repo.git("rev-parse", ":staged.ts")).trim();
      const stages = [1, 2, 3].map((stage) => `100644 ${blob} ${stage}\tclash.ts\n`).join("");
      await repo.gitWithInput(stages, "update-index", "--index-info");
      await repo.write("clash.ts", SECRET_FILE);
      const id = await project.create();
      await project.ok("export", id, "-o", "../x.bundle");
    });
  });

  it("looks although the settings let secrets in, and not into files when they say not to", async () => {
    await withSeed(async (project) => {
      const { repo } = project;
      await repo.write("waymark.yml", "secrets: {exclude: false}\n");
      await repo.write("deploy.ts", SECRET_FILE);
      const id = await project.create();
      expectExit(await project.run("export", id), 5);
      await repo.write("waymark.yml", "secrets: {scan: false}\n");
      await project.ok("export", id, "-o", "../x.bundle");
    });
  });
});
