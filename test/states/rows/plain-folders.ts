import { type TempRepository } from "../../support/temp-repository.ts";
import { trackableNames, untrackableNames } from "../odd-name-catalogue.ts";
import { type Row } from "./row.ts";
import { wreckFiles } from "./wreck.ts";

async function fill(project: TempRepository): Promise<void> {
  await project.write(".gitignore", "*.log\nbuild/\n!kept.log\n");
  await project.write("a.txt", "alpha\n");
  await project.write("b.txt", "beta\r\n");
  await project.write("dir/c.txt", "gamma\n");
  await project.write("dir/deep/d.bin", Buffer.from([0, 1, 2, 253, 254, 255]));
  await project.write("run.sh", "#!/bin/sh\n", 0o755);
  await project.write("private.txt", "only mine\n", 0o600);
  await project.link("link", "a.txt");
  await project.link("nowhere", "gone/away");
  await project.folder("empty/inside");
  await project.write("trace.log", "ignored\n");
  await project.write("kept.log", "not ignored\n");
  await project.write("build/out.o", "ignored too\n");
}

/** Folders without git: everything in them is untracked, and HEAD is never born. */
export const plainFolders: readonly Row[] = [
  {
    name: "a plain folder with nothing in it",
    prepare: () => Promise.resolve(),
    wreck: wreckFiles,
  },
  { name: "a plain folder with every ordinary kind of file", prepare: fill, wreck: wreckFiles },
  {
    name: "a plain folder whose ignore rules change",
    prepare: fill,
    async wreck(project) {
      await wreckFiles(project);
      await project.write(".gitignore", "*.txt\n");
      await project.write("new.txt", "ignored by the new rules\n");
    },
  },
  {
    name: "a plain folder with attributes that would convert its files",
    async prepare(project) {
      await fill(project);
      await project.write(".gitattributes", "*.txt text eol=lf ident\n*.bin filter=none\n");
      await project.write("ident.txt", "$Id$\r\n");
    },
    async wreck(project) {
      await wreckFiles(project);
      await project.write("ident.txt", "$Id$\n");
      await project.remove(".gitattributes");
    },
  },
  {
    name: "a plain folder with repositories in it, one made afterwards",
    async prepare(project) {
      await fill(project);
      await project.git("init", "-q", "nested");
      await project.write("nested/file.txt", "of the nested repository\n");
    },
    async wreck(project) {
      await wreckFiles(project);
      await project.write("nested/file.txt", "changed by its own agent\n");
      await project.git("init", "-q", "nested-later");
      await project.write("nested-later/file.txt", "made after the checkpoint\n");
    },
  },
  {
    name: "a plain folder in which something that is no repository is called .git afterwards",
    prepare: fill,
    async wreck(project) {
      await wreckFiles(project);
      await project.write(".git", "not what git expects\n");
    },
  },
  {
    name: "a plain folder with all odd names",
    async prepare(project) {
      for (const name of [...trackableNames, ...untrackableNames]) {
        await project.write(name, "odd\n");
      }
    },
    async wreck(project) {
      for (const name of [...trackableNames, ...untrackableNames]) await project.remove(name);
      await project.write("a.txt", "instead\n");
    },
  },
];
