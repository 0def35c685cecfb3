/** What an import said and what it made. */
import { expect } from "vitest";
import type { RuleProject } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";

export interface Imported {
  readonly json: unknown;
  /** Codes of what was not carried, with the record or file. */
  readonly notCarried: readonly string[];
}

export async function importFrom(
  project: RuleProject,
  format: string,
  path: string,
  ...more: readonly string[]
): Promise<Imported> {
  const { json } = await project.ok("import", "--from", format, path, ...more);
  return { json, notCarried: notCarried(json) };
}

export function notCarried(json: unknown): string[] {
  return items(json, "not_carried").map((item) => {
    const what = field(item, "record") ?? field(item, "file") ?? field(item, "session");
    return `${text(item, "code")}: ${String(what)}`;
  });
}

export async function sessionOf(project: RuleProject, id: string): Promise<unknown> {
  const message = await project.repo.store(
    "log",
    "-1",
    "--format=%B",
    `refs/waymark/session/${id}`,
  );
  return JSON.parse(message.slice(message.indexOf("\n\n{") + 2));
}

/** The documents of a session's checkpoints, oldest first. */
export async function checkpointsOf(project: RuleProject, id: string): Promise<readonly unknown[]> {
  const { json } = await project.ok("list", "--session", id);
  return items(json, "checkpoints").toReversed();
}

export async function expectAllValid(project: RuleProject): Promise<void> {
  const { json } = await project.ok("validate");
  expect(field(json, "invalid")).toBe(0);
  expect((await project.repo.tryGit(["fsck", "--strict"])).code).toBe(0);
  expect((await project.repo.tryStore(["fsck", "--strict"])).code).toBe(0);
}
