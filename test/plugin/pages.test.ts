/** What agents are told to run works on the built command line, and what they are told to read is there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";
import { EXIT_CODES } from "../../src/interfaces/cli/exit-codes.ts";
import { hasProgram } from "../support/find-program.ts";
import {
  failuresOf,
  fieldsOf,
  flagsOf,
  namesOf,
  pagesForAgents,
  scriptsOf,
} from "./page-commands.ts";
import { type Scene, workScene, workflowScene } from "./scene.ts";

const pages = await pagesForAgents();
const scripts = [...new Set(pages.flatMap(scriptsOf))].toSorted();

interface Preparation {
  readonly pattern: RegExp;
  readonly scene: "work" | "workflow";
  readonly first?: string;
}

const PREPARED: readonly Preparation[] = [
  { pattern: /^waymark redo/m, scene: "work", first: "waymark undo --yes" },
  { pattern: /^waymark resume/m, scene: "workflow" },
  { pattern: /^waymark session (?!start)/, scene: "workflow" },
];

/** A document of each kind, with something in every list that pages look into. */
const DOCUMENTS: Readonly<Record<string, readonly [Preparation["scene"], string]>> = {
  checkpoint_created: ["work", 'waymark create --json -m "REASON"'],
  rollback: ["work", "waymark rollback CHECKPOINT --yes --json"],
  rollback_plan: ["work", "waymark rollback CHECKPOINT --dry-run --json"],
  guard: ["work", "waymark guard --json --verify false -- sh -c 'echo x > src/x.txt' || true"],
  resume_plan: ["workflow", "waymark resume --dry-run --json"],
  session: ["workflow", "waymark session show --json"],
};

let work: Scene;
let workflow: Scene;

beforeAll(async () => {
  [work, workflow] = await Promise.all([workScene(), workflowScene()]);
});

afterAll(() => Promise.all([work.remove(), workflow.remove()]));

const sceneOf = (name: Preparation["scene"]): Scene => (name === "work" ? work : workflow);

/** Every place in a document that a path such as `attempts[].verify[].ok` leads to. */
function placesOf(document: unknown, path: string): readonly unknown[] {
  return path.split(".").reduce<readonly unknown[]>(
    (places, step) => {
      const name = step.replace(/\[\]$/, "");
      const found = places.flatMap((place) =>
        typeof place === "object" && place !== null && Object.hasOwn(place, name)
          ? [(place as Record<string, unknown>)[name]]
          : [],
      );
      return step.endsWith("[]") ? found.flat() : found;
    },
    [document],
  );
}

describe("a page for agents", () => {
  it("is there for everything that the plugin has", () => {
    expect(pages.length).toBeGreaterThan(9);
    expect(scripts.length).toBeGreaterThan(25);
  });

  const database = /sqlite:/;
  if (!hasProgram("sqlite3"))
    console.warn("pages for agents: sqlite3 is missing, its commands are skipped");
  const runnable = scripts.filter((script) => hasProgram("sqlite3") || !database.test(script));

  it.each(runnable)("tells commands that work: %s", async (script) => {
    const prepared = PREPARED.find(({ pattern }) => pattern.test(script));
    const result = await sceneOf(prepared?.scene ?? "work").run(script, prepared?.first);
    const said = `${result.stdout.toString("utf8")}${result.stderr}`;
    expect({ code: result.code, said: result.code === 0 ? "" : said }).toEqual({
      code: 0,
      said: "",
    });
    if (!script.includes("\n") && script.includes(" --json")) {
      const [first = ""] = script.startsWith("waymark resume --json")
        ? result.stdout.toString("utf8").split("\n")
        : [result.stdout.toString("utf8")];
      expect(JSON.parse(first)).toMatchObject({
        schema_version: 1,
        kind: expect.stringMatching(/\w/) as unknown,
      });
    }
  });

  it.each(pages)("$path names commands that exist", (page) => {
    const known = new Set(COMMANDS.map(({ name }) => name));
    expect(namesOf(page).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(pages)("$path names flags that exist", (page) => {
    const known = new Set([
      "--json",
      "--session",
      "--quiet",
      "--help",
      ...COMMANDS.flatMap(({ options = [] }) =>
        options.flatMap(({ flags }) => [...flags.matchAll(/--[a-z-]+/g)].map(([name]) => name)),
      ),
    ]);
    expect(flagsOf(page).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(pages)("$path names failures by their codes", (page) => {
    const wrong = failuresOf(page).filter(
      ({ exit, code }) => Object.entries(EXIT_CODES).find(([name]) => name === code)?.[1] !== exit,
    );
    expect(wrong).toEqual([]);
  });
});

describe("an output contract", () => {
  const fields = pages.flatMap(fieldsOf);

  it("is part of every skill", () => {
    const without = pages.filter(
      (page) => page.path.endsWith("SKILL.md") && fieldsOf(page).length === 0,
    );
    expect(without).toEqual([]);
    expect(fields.length).toBeGreaterThan(60);
  });

  it.each([...new Set(fields.map(({ kind }) => kind))])(
    "names fields of %s that are there",
    async (kind) => {
      const [scene, script] = DOCUMENTS[kind] ?? [
        "work",
        `false # no document of the kind ${kind}`,
      ];
      const result = await sceneOf(scene).run(script);
      const document: unknown = JSON.parse(result.stdout.toString("utf8"));
      expect(document).toMatchObject({ kind });
      const missing = fields.filter(
        (each) => each.kind === kind && placesOf(document, each.field).length === 0,
      );
      expect(missing).toEqual([]);
    },
  );
});
