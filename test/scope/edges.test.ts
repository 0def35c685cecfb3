import { lstat, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorMessage, expectExit } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";

const read = (project: RuleProject, path: string): Promise<string> =>
  readFile(join(project.repo.root, path), "utf8").catch(() => "-");

/** A folder beside the project, for one test. */
async function withOutside(project: RuleProject, body: (folder: string) => Promise<void>) {
  const folder = `${project.repo.root}-outside`;
  await mkdir(folder);
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe("what cannot be a scope", () => {
  it("[R48] is refused with the reason: nothing, and folders that the project is in", () =>
    withSeed(async (project) => {
      const { root } = project.repo;
      await writeFile(`${root}-beside.txt`, "1");
      for (const [scope, reason] of [
        ["", "an empty pattern is not allowed"],
        [" ", "an empty pattern is not allowed"],
        ["..", "would exclude the project itself"],
        ["../..", "would exclude the project itself"],
        ["/", "would exclude the project itself"],
        [dirname(root), "would exclude the project itself"],
        ["../*", "would exclude the project itself"],
        [`${dirname(root)}/**`, "would exclude the project itself"],
      ] as const) {
        const refused = await project.run("create", "--scope", scope);
        expectExit(refused, 2);
        expect(errorMessage(refused)).toContain(reason);
      }
      expect(field((await project.ok("list", "--all")).json, "checkpoints")).toEqual([]);
      await project.ok("create", "--scope", "../*-beside.txt");
    }));
});

describe("a file in the place of a copied folder", () => {
  for (const { rule, setting, what } of [
    { rule: "ig/", setting: "/ig/", what: "that git does not ignore" },
    { rule: "ig", setting: "ig/", what: "that git ignores" },
  ]) {
    for (const way of ["--scope", "capture.include_ignored"]) {
      it(`[R46] makes room, and comes back by undo: one ${what}, by ${way}`, () =>
        withSeed(async (project) => {
          const { repo } = project;
          await repo.write(".gitignore", `${rule}\n`);
          await repo.git("add", ".gitignore");
          await repo.git("commit", "-qm", "rules");
          await repo.write("ig/a/one.txt", "1");
          await repo.write("ig/two.txt", "2");
          if (way !== "--scope") {
            await repo.write("waymark.yml", `capture:\n  include_ignored: ['${setting}']\n`);
          }
          const id = await project.create(...(way === "--scope" ? ["--scope", "ig"] : []));
          await rm(join(repo.root, "ig"), { recursive: true });
          await repo.write("ig", "precious");
          await project.ok("rollback", id, "--yes");
          expect(await read(project, "ig/a/one.txt")).toBe("1");
          expect(await read(project, "ig/two.txt")).toBe("2");
          await project.ok("undo", "--yes");
          expect(await read(project, "ig")).toBe("precious");
          await project.ok("redo", "--yes");
          expect(await read(project, "ig/two.txt")).toBe("2");
        }));
    }
  }

  it("[R46] is a link, or in the way of a single path", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write(".gitignore", "ig\n");
      await repo.write("ig/a/one.txt", "1");
      await repo.write("ig/two.txt", "2");
      const id = await project.create("--scope", "ig/**");
      await rm(join(repo.root, "ig"), { recursive: true });
      await symlink("/nowhere", join(repo.root, "ig"));
      await project.ok("rollback", id, "--yes", "--paths", "ig/two.txt");
      expect([await read(project, "ig/two.txt"), await read(project, "ig/a/one.txt")]).toEqual([
        "2",
        "-",
      ]);
      await project.ok("undo", "--yes");
      expect((await lstat(join(repo.root, "ig"))).isSymbolicLink()).toBe(true);
    }));
});

describe("files outside of the project", () => {
  it("[R46] are held by an absolute path in the settings, and patterns of the project stay what they are", () =>
    withSeed(async (project) => {
      await withOutside(project, async (folder) => {
        const { repo } = project;
        const file = join(folder, "settings.json");
        await writeFile(file, "1");
        // The project has a folder of the name that the path begins with: then the project is meant.
        const top = file.split("/")[1] ?? "";
        await repo.write(".gitignore", `/${top}/\n`);
        await repo.write(`${top}/own.txt`, "1");
        await project.writeOwnSettings(
          `capture:\n  include_ignored: ['${file}', '${repo.root}/${top}/own.txt']\n`,
        );
        const id = await project.create();
        await writeFile(file, "2");
        await repo.write(`${top}/own.txt`, "2");
        await project.ok("rollback", id, "--yes");
        expect(await readFile(file, "utf8")).toBe("2");
        expect(await read(project, `${top}/own.txt`)).toBe("1");
        await rm(join(repo.root, top), { recursive: true });
        await writeFile(file, "3");
        const held = await project.create();
        await writeFile(file, "4");
        await project.ok("rollback", held, "--yes");
        expect(await readFile(file, "utf8")).toBe("3");
        await project.ok("undo", "--yes");
        expect(await readFile(file, "utf8")).toBe("4");
      });
    }));

  it("[R47] come back one by one with --paths, and only those that are held", () =>
    withSeed(async (project) => {
      await withOutside(project, async (folder) => {
        for (const name of ["a", "b"]) await writeFile(join(folder, name), "1");
        await project.repo.write("in.txt", "1");
        const id = await project.create("--scope", `${folder}/*`, "in.txt");
        for (const name of ["a", "b"]) await writeFile(join(folder, name), "2");
        await project.repo.write("in.txt", "2");
        await project.ok("rollback", id, "--yes", "--paths", join(folder, "a"));
        expect(await readFile(join(folder, "a"), "utf8")).toBe("1");
        expect(await readFile(join(folder, "b"), "utf8")).toBe("2");
        expect(await read(project, "in.txt")).toBe("2");
        await project.ok("undo", "--yes");
        expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
        await project.ok("rollback", id, "--yes", "--paths", ".");
        expect(await readFile(join(folder, "a"), "utf8")).toBe("2");
        expect(await read(project, "in.txt")).toBe("1");
        const refused = await project.run("rollback", id, "--yes", "--paths", "/etc/passwd");
        expectExit(refused, 2);
        expect(text(refused.json, "error", "message")).toContain("outside the project");
      });
    }));
});
