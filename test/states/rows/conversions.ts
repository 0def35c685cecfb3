import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { seedRepository } from "../../support/seed-repository.ts";
import { type TempRepository } from "../../support/temp-repository.ts";
import { init, type Row } from "./row.ts";
import { wreckAndCommit } from "./wreck.ts";

const crlf = "one\r\ntwo\r\n";
const mixed = "one\r\ntwo\nthree\r\n";

async function spoil(repo: TempRepository, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await repo.write(name, "spoiled\n");
  }
  await wreckAndCommit(repo);
}

/** A shell script beside the project that stands for git-lfs: clean makes a pointer, smudge brings the content back. */
async function installPointerFilter(repo: TempRepository, required: boolean): Promise<void> {
  const store = join(repo.base, "pointer-store");
  const script = `#!/bin/sh
mkdir -p '${store}'
if [ "$1" = clean ]; then
  cat > '${store}/incoming'; sum=$(sha256sum < '${store}/incoming' | cut -c1-64)
  mv '${store}/incoming' "${store}/$sum"; echo "pointer $sum"
else
  read -r word sum; cat "${store}/$sum"
fi
`;
  await repo.write("../filter.sh", script, 0o755);
  await repo.git("config", "filter.pointer.clean", `${join(repo.base, "filter.sh")} clean`);
  await repo.git("config", "filter.pointer.smudge", `${join(repo.base, "filter.sh")} smudge`);
  await repo.git("config", "filter.pointer.required", String(required));
}

/** Whatever git would convert on its way in or out comes back byte for byte. */
export const conversions: readonly Row[] = [
  {
    name: "text=auto and eol attributes, with line ends that git would normalise",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write(".gitattributes", "* text=auto\n*.bat eol=crlf\n*.unix eol=lf\n");
      await repo.write("windows.txt", crlf);
      await repo.write("mixed.txt", mixed);
      await repo.write("script.bat", crlf);
      await repo.write("odd.unix", mixed);
      await repo.git("add", "-A");
      await repo.commit("normalised in the repository only");
      await repo.write("untracked-crlf.txt", crlf);
      await repo.write("mixed.txt", `${mixed}edited\r\n`);
    },
    wreck: async (repo) =>
      await spoil(repo, "windows.txt", "mixed.txt", "script.bat", "odd.unix", "untracked-crlf.txt"),
  },
  {
    name: "core.autocrlf=true with CRLF and LF files",
    async prepare(repo) {
      await init(repo);
      await repo.git("config", "core.autocrlf", "true");
      await seedRepository(repo);
      await repo.write("windows.txt", crlf);
      await repo.write("unix.txt", "one\ntwo\n");
      await repo.git("add", "-A");
      await repo.commit("line ends");
      await repo.write("untracked-mixed.txt", mixed);
    },
    wreck: async (repo) => await spoil(repo, "windows.txt", "unix.txt", "untracked-mixed.txt"),
  },
  {
    name: "core.autocrlf=input with a staged CRLF file",
    async prepare(repo) {
      await init(repo);
      await repo.git("config", "core.autocrlf", "input");
      await seedRepository(repo);
      await repo.write("windows.txt", crlf);
      await repo.git("add", "windows.txt");
    },
    wreck: async (repo) => await spoil(repo, "windows.txt"),
  },
  {
    name: "a clean CRLF file that git calls unchanged, deleted afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write(".gitattributes", "*.txt text\n");
      await repo.write("windows.txt", crlf);
      await repo.git("add", "-A");
      await repo.commit("stored with LF, on disk with CRLF");
    },
    async wreck(repo) {
      await repo.remove("windows.txt");
      await repo.git("checkout", "-q", "--", "windows.txt");
    },
  },
  {
    name: "ident keywords, expanded on disk",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write(".gitattributes", "*.c ident\n");
      await repo.write("main.c", "/* $Id$ */\n");
      await repo.git("add", "-A");
      await repo.commit("ident");
      await repo.remove("main.c");
      await repo.git("checkout", "-q", "--", "main.c");
      await repo.write("own.c", "/* $Id: by hand $ */\n");
    },
    wreck: async (repo) => await spoil(repo, "main.c", "own.c"),
  },
  {
    name: "working-tree-encoding=UTF-16",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write(".gitattributes", "*.ps1 text working-tree-encoding=UTF-16LE eol=crlf\n");
      await repo.write("script.ps1", Buffer.from("echo ü\r\n", "utf16le"));
      await repo.git("add", "-A");
      await repo.commit("encoded");
      await repo.write("untracked.ps1", Buffer.from("echo ß\r\n", "utf16le"));
      await repo.write("broken.ps1", Buffer.from([0x00, 0xd8, 0x41]));
    },
    async wreck(repo) {
      await repo.remove("broken.ps1");
      await repo.write("script.ps1", Buffer.from("echo 1\r\n", "utf16le"));
      await repo.write("untracked.ps1", Buffer.from("echo 2\r\n", "utf16le"));
      await wreckAndCommit(repo);
    },
  },
  {
    name: "an LFS-like filter: pointers in the index, content on disk",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await installPointerFilter(repo, true);
      await repo.write(".gitattributes", "*.big filter=pointer -text\n");
      await repo.write("clean.big", Buffer.alloc(3000, "content "));
      await repo.git("add", "-A");
      await repo.commit("pointers");
      await repo.write("untracked.big", "untracked content\n");
      await repo.write("staged.big", "staged content\n");
      await repo.git("add", "staged.big");
    },
    wreck: async (repo) => await spoil(repo, "clean.big", "untracked.big", "staged.big"),
  },
  {
    name: "a required filter whose program is missing",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await installPointerFilter(repo, true);
      await repo.write(".gitattributes", "*.big filter=pointer -text\n");
      await repo.write("clean.big", "content\n");
      // By a wrong clock: git cannot trust the time stamp, so it asks the filter whenever it looks.
      const soon = Date.now() / 1000 + 3600;
      await utimes(repo.path("clean.big"), soon, soon);
      await repo.git("add", "-A");
      await repo.commit("pointers");
      await repo.remove("../filter.sh");
      await repo.write("untracked.big", "untracked content\n");
    },
    async wreck(repo) {
      await repo.remove("clean.big");
      await repo.remove("untracked.big");
      await repo.write("a.txt", "wrecked\n");
    },
  },
  {
    name: "attributes that change afterwards",
    async prepare(repo) {
      await init(repo);
      await seedRepository(repo);
      await repo.write("windows.txt", crlf);
      await repo.git("add", "-A");
      await repo.commit("CRLF in the repository");
    },
    async wreck(repo) {
      await repo.write(".gitattributes", "* text=auto eol=lf\n");
      await repo.git("add", "--renormalize", ".");
      await spoil(repo, "windows.txt");
    },
  },
];
