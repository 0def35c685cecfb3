import { onTestFinished, describe, expect, it } from "vitest";
import { asBytePath } from "../../domain/byte-path.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

async function rulesOf(gitignore: string | Buffer) {
  const { repo, repository } = await openedRepository();
  await repo.write(".gitignore", gitignore);
  const rules = new IgnoreRules(repository);
  onTestFinished(() => rules.close());
  const ignored = async (...paths: string[]): Promise<string[]> => [
    ...(await rules.ignored(paths.map(asBytePath))),
  ];
  return { repo, rules, ignored };
}

describe("IgnoreRules", () => {
  it("names those of the paths that git ignores", async () => {
    const { ignored } = await rulesOf("*.log\n/build/\n!keep.log\n");
    expect(await ignored("a.log", "dir/b.log", "a.txt", "keep.log", "build/x/y")).toEqual([
      "a.log",
      "dir/b.log",
      "build/x/y",
    ]);
  });

  it("answers as often as it is asked", async () => {
    const { repo, ignored } = await rulesOf("*.log\n");
    expect(await ignored()).toEqual([]);
    expect(await ignored("a.log")).toEqual(["a.log"]);
    expect(await ignored("a.txt")).toEqual([]);
    await repo.folder("sub");
    expect(await ignored("sub", "sub/b.log")).toEqual(["sub/b.log"]);
  });

  it("knows a folder from a file", async () => {
    const { repo, ignored } = await rulesOf("out/\n");
    await repo.folder("a/out");
    await repo.write("b/out", "a file");
    expect(await ignored("a/out", "b/out")).toEqual(["a/out"]);
  });

  it("reads the rules of every folder, of the repository and of the user", async () => {
    const { repo, ignored } = await rulesOf("");
    await repo.write("sub/.gitignore", "*.tmp\n!x.tmp\n");
    await repo.write(".git/info/exclude", "excluded\n");
    await repo.git("config", "core.excludesFile", repo.path("../mine").toString());
    await repo.write("../mine", "*.mine\n");
    expect(
      await ignored("a.tmp", "sub/a.tmp", "sub/x.tmp", "excluded", "sub/excluded", "a.mine"),
    ).toEqual(["sub/a.tmp", "excluded", "sub/excluded", "a.mine"]);
  });

  it("names tracked files too: the caller knows what is tracked", async () => {
    const { repo, ignored } = await rulesOf("*.log\n");
    await repo.write("tracked.log", "x");
    await repo.git("add", "-f", "tracked.log");
    expect(await ignored("tracked.log")).toEqual(["tracked.log"]);
  });

  it.each([
    ["begin with a colon", ":a", ":(glob)**", ":!x", ":/", "::"],
    ["have a line break", "a\nb", "\n", "a\r\n"],
    ["are not UTF-8", "\xff", "caf\xe9", "\x80/\xfe"],
    ["look like patterns", "*", "?", "[a]", "**", "a*b"],
    ["look like options", "-z", "--stdin", "-"],
    ["begin or end with a space or a tab", " a", "a ", "\t"],
    ["begin with a bang or a hash", "!a", "#a", "\\!a"],
    ["look like quoted ones", '"a"', '"', "a\\"],
    ["begin with a dot", ".a", "...", "..a"],
  ])("takes names literally that %s", async (_what, ...names) => {
    const { ignored } = await rulesOf("/ignored-*\n");
    const paths = names.flatMap((name) => [name, `ignored-${name}`]);
    expect(await ignored(...paths)).toEqual(names.map((name) => `ignored-${name}`));
  });

  it("understands rules with bytes that are not UTF-8", async () => {
    const { ignored } = await rulesOf(Buffer.from("caf\xe9\n", "latin1"));
    expect(await ignored("caf\xe9", "caf\xc3\xa9", "a/caf\xe9")).toEqual(["caf\xe9", "a/caf\xe9"]);
  });

  it("understands a rule for a name that begins with a bang", async () => {
    const { ignored } = await rulesOf("\\!important\n");
    expect(await ignored("!important", "important")).toEqual(["!important"]);
  });

  it("answers for a hundred thousand paths at once", async () => {
    const { ignored } = await rulesOf("*7\n");
    const paths = Array.from({ length: 100_000 }, (_, at) => `folder/with a longer name/${at}`);
    expect(await ignored(...paths)).toHaveLength(10_000);
  });

  it("fails with what git said when git cannot answer, and goes on failing", async () => {
    const { repo, rules, ignored } = await rulesOf("");
    await repo.link("link", "elsewhere");
    await expect(ignored("link/inside")).rejects.toMatchObject({
      code: "git_failed",
      message: expect.stringContaining("beyond a symbolic link"),
    });
    await expect(rules.ignored([asBytePath("a")])).rejects.toMatchObject({ code: "git_failed" });
  });
});
