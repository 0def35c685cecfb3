import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempFolder } from "./temp-folder.fixture.ts";
import { makeTransientFolder, removeTransientFolder } from "./transient-folder.ts";

it("stays while there is anything in it", () => {
  const root = tempFolder();
  const folder = makeTransientFolder(root);
  mkdirSync(join(folder, "restore"));
  writeFileSync(join(folder, "restore/x"), "");
  removeTransientFolder(root);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
  expect(readdirSync(join(folder, "restore"))).toEqual(["x"]);
});

it("goes when it is empty", () => {
  const root = tempFolder();
  mkdirSync(join(makeTransientFolder(root), "restore"));
  removeTransientFolder(root);
  expect(readdirSync(root)).toEqual([]);
});

it("[R174] is not a link that leads out of the project", () => {
  const [root, outside] = [tempFolder(), tempFolder()];
  writeFileSync(join(outside, ".gitignore"), "*\n");
  symlinkSync(outside, join(root, ".waymark-tmp"));
  expect(() => makeTransientFolder(root)).toThrow("is a symbolic link");
  removeTransientFolder(root);
  expect(readdirSync(outside)).toEqual([".gitignore"]);
});

it("[R174] nor has one in it that is written through", () => {
  const [root, outside] = [tempFolder(), tempFolder()];
  mkdirSync(join(root, ".waymark-tmp"));
  symlinkSync(join(outside, "x"), join(root, ".waymark-tmp/.gitignore"));
  makeTransientFolder(root);
  expect(existsSync(join(outside, "x"))).toBe(false);
});
