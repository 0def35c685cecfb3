/** The files that a tool which writes names in what it is called with. */
import { isRecord } from "../is-record.ts";
import { fieldOf, textOf, type Fields } from "./payload-fields.ts";

const PATH_FIELDS = [
  "file_path",
  "filePath",
  "path",
  "notebook_path",
  "notebookPath",
  "absolute_path",
  "target_file",
  "target_notebook",
  "filename",
];
/** Lists of paths, or of objects with one each. */
const LIST_FIELDS = ["edits", "files", "paths"];
const PATCH_FIELDS = ["command", "input", "patch", "patchText", "patch_text", "diff"];

const PATCH_HEADERS = ["Add File", "Update File", "Delete File", "Move to"].map(
  (does) => `*** ${does}:`,
);

export function namedPaths(input: unknown): readonly string[] {
  if (typeof input === "string") return patchPaths(input);
  if (!isRecord(input)) return [];
  const all = [...directPaths(input), ...listedPaths(input), ...patchedPaths(input)];
  return [...new Set(all)];
}

/** What a patch in the form of apply_patch adds, changes, deletes and moves. */
function patchPaths(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const header = PATCH_HEADERS.find((start) => line.startsWith(start));
    const path = header === undefined ? "" : line.slice(header.length).trim();
    return path === "" ? [] : [path];
  });
}

function directPaths(input: Fields): readonly string[] {
  return PATH_FIELDS.flatMap((name) => textOf(input, name) ?? []);
}

function listedPaths(input: Fields): readonly string[] {
  return LIST_FIELDS.flatMap((name) => itemsOf(input, name)).flatMap((item) => {
    if (typeof item === "string") return item === "" ? [] : [item];
    return isRecord(item) ? directPaths(item) : [];
  });
}

function patchedPaths(input: Fields): readonly string[] {
  return PATCH_FIELDS.flatMap((name) => {
    const text = textOf(input, name);
    const texts = text === undefined ? itemsOf(input, name) : [text];
    return texts.flatMap((each) => (typeof each === "string" ? patchPaths(each) : []));
  });
}

function itemsOf(input: Fields, name: string): readonly unknown[] {
  const value = fieldOf(input, name);
  return Array.isArray(value) ? value : [];
}
