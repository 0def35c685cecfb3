/** Every document that `--json` prints, checked against the schema that is shipped for its kind. */
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";
import { EXIT_CODES } from "../../src/interfaces/cli/exit-codes.ts";
import { withDirty } from "../spec/project.ts";
import { expectExit, waymark } from "../support/cli.ts";
import { field, text } from "../support/json.ts";
import { CASES, type JsonCase } from "./json-cases.ts";
import { problemsWith } from "./schema-check.ts";

/** In a process of its own, as people start it; or, what takes less time, in one that other commands were run in before. */
type Where = { readonly hasOwnProcess: boolean };

async function check({ prepare, args, prints }: JsonCase, where: Where): Promise<void> {
  await withDirty(async (project) => {
    await prepare?.(project);
    const { root, env } = project.repo;
    const result = await waymark(root, args, { env, ...where });
    if ("text" in prints) {
      expectExit(result, 0);
      prints.text(result.stdout.toString("utf8"));
      return;
    }
    const kind = "error" in prints ? "error" : prints.kind;
    expectExit(result, "error" in prints ? EXIT_CODES[prints.error] : (prints.exit ?? 0));
    if ("areLines" in prints) {
      checkLines(result.stdout.toString("utf8"), kind);
      return;
    }
    // Exactly one document: anything beside it on stdout, and there is none here.
    expect(text(result.json, "kind")).toBe(kind);
    expect(problemsWith(result.json, kind)).toEqual([]);
    if ("error" in prints) {
      // Whoever reads one document on each line gets the error as one, too.
      const spec = COMMANDS.find(({ name }) => name === args[0]);
      const areLines = spec?.kinds.includes("run_event") === true;
      if (areLines) expect(result.stdout.toString("utf8")).toMatch(/^[^\n]+\n$/);
      expect(field(result.json, "error")).toMatchObject({
        code: prints.error,
        hint: expect.stringMatching(/\w/) as unknown,
      });
    }
  });
}

function checkLines(stdout: string, kind: string): void {
  const lines = stdout.trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    const document: unknown = JSON.parse(line);
    expect(problemsWith(document, text(document, "kind"))).toEqual([]);
  }
  expect(text(JSON.parse(lines.at(-1) ?? ""), "kind")).toBe(kind);
}

describe.each(Object.entries(CASES))("%s --json", (_, cases) => {
  const inOwnProcess = oneOfEachExit(cases);
  it.each(cases)("[R50] $title", (example) =>
    check(example, { hasOwnProcess: inOwnProcess.includes(example) }),
  );
});

/** One that goes well, and one that does not. */
function oneOfEachExit(cases: readonly JsonCase[]): readonly JsonCase[] {
  const ended = (isError: boolean) => cases.find(({ prints }) => "error" in prints === isError);
  return [ended(false), ended(true)].filter((example) => example !== undefined);
}

describe("the cases", () => {
  it("are about every command, and no other", () => {
    expect(Object.keys(CASES).toSorted()).toEqual(COMMANDS.map((spec) => spec.name).toSorted());
  });

  it.each(COMMANDS)("of $name show each kind of document that it prints", ({ name, kinds }) => {
    const shown = (CASES[name] ?? []).flatMap(({ prints }) =>
      "kind" in prints ? [prints.kind] : [],
    );
    expect([...new Set(shown)].toSorted()).toEqual([...kinds].toSorted());
  });
});

describe("a command line that nobody understands", () => {
  it.each([[["rollbak"]], [[]], [["--nonsense"]], [["list", "too", "many"]]])(
    "%j is an error document with exit code 2",
    async (args) => {
      await check({ title: "", args, prints: { error: "usage" } }, { hasOwnProcess: true });
    },
  );
});
