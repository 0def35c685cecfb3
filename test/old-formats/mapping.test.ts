/** The tables of docs/old-formats.md: every field that they name is in the source and is found where they say. */
import { describe, expect, it } from "vitest";
import { read } from "../architecture/project-files.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { checkpointsOf, importFrom, sessionOf } from "./imported.ts";
import { writeClaudeCheckpoints, writeCrunch, writeFlowspec, writeGoTeam } from "./sources.ts";

interface Row {
  readonly field: string;
  readonly becomes: readonly string[];
}

function rowsOf(format: string): Row[] {
  const section = read("docs/old-formats.md").split(`\n## ${format}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(
    ([, name = "", becomes = ""]) => ({
      field: name,
      becomes: [...becomes.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    }),
  );
}

/** Values at a path; `[]` stands for every item of a list. Null and nothing do not count. */
function valuesAt(document: unknown, path: string): unknown[] {
  return path
    .replaceAll("[]", ".[]")
    .split(".")
    .reduce<unknown[]>(
      (values, name) =>
        values.flatMap((value) =>
          name === "[]" ? (Array.isArray(value) ? value : []) : [field(value, name)],
        ),
      [document],
    )
    .filter((value) => value !== undefined && value !== null);
}

/** Everything that an import made, and the files of the checkpoints' trees. */
async function madeOf(project: RuleProject, sessionIds: readonly string[]): Promise<unknown[]> {
  const made: unknown[] = [];
  for (const id of sessionIds) {
    made.push({ session: await sessionOf(project, id) });
    for (const checkpoint of await checkpointsOf(project, id)) {
      const names = await project.repo.store(
        "ls-tree",
        "--name-only",
        `refs/waymark/cp/${text(checkpoint, "id")}`,
      );
      const files = names.split("\n").filter((name) => name.endsWith(".json"));
      made.push({ checkpoint, files });
    }
  }
  return made;
}

function isFound(made: readonly unknown[], path: string): boolean {
  return made.some((one) =>
    path.endsWith(".json")
      ? items({ files: [], ...(one as object) }, "files").includes(path)
      : valuesAt(one, path).length > 0,
  );
}

/** The same value, where the place is one and nothing says that it is put in other words. */
function isSame(source: unknown, made: readonly unknown[], path: string): boolean {
  const wanted = JSON.stringify(source);
  return made.some((one) => valuesAt(one, path).some((value) => JSON.stringify(value) === wanted));
}

type Sources = Readonly<Record<string, unknown>>;

const FORMATS: Readonly<
  Record<string, (project: RuleProject) => Promise<{ path: string; sources: Sources }>>
> = {
  "go-team": async ({ repo }) => {
    const { path, manifest, records } = await writeGoTeam(repo);
    const entry = items(manifest, "checkpoints").at(-1);
    const [rollback] = items(manifest, "rollback_history");
    return { path, sources: { manifest, entry, rollback, record: records[1] } };
  },
  "claude-checkpoints": async ({ repo }) => {
    const { path, active, failed } = await writeClaudeCheckpoints(repo);
    return { path, sources: { record: active, failed } };
  },
  crunch: async ({ repo }) => {
    const { path, index, latest } = await writeCrunch(repo);
    return { path, sources: { index, entry: items(index, "checkpoints").at(-1), record: latest } };
  },
  flowspec: async ({ repo }) => {
    const { path, registry } = await writeFlowspec(repo);
    return { path, sources: { registry, record: registry.checkpoints[0] } };
  },
};

/** Fields that come in other words than they were written in: ids of ours, full names, time stamps, counts. */
const IN_OTHER_WORDS =
  /(?:^session\.(?:status|corrupted|branch|history\[\]\.(?:from|to)_id)|_at$|\.(?:at|branch|step|phases|batches|nodes|files|stats|current_phase|trigger|pending|issue_snapshot|agent_outputs)|completed_at|\.json)$/;

describe("docs/old-formats.md", () => {
  it.each(Object.entries(FORMATS))("says where each field of %s goes", async (format, write) => {
    await withSeed(async (project) => {
      const { path, sources } = await write(project);
      const { json } = await importFrom(project, format, path);
      const ids = items(json, "sessions").map((session) => text(session, "id"));
      const made = await madeOf(project, ids);
      const rows = rowsOf(format);
      expect(rows.length).toBeGreaterThan(10);
      for (const row of rows) {
        const [value] = valuesAt(sources, row.field);
        expect([row.field, value]).not.toEqual([row.field, undefined]);
        for (const place of row.becomes) {
          expect([row.field, place, isFound(made, place)]).toEqual([row.field, place, true]);
          if (IN_OTHER_WORDS.test(place)) continue;
          expect([row.field, place, isSame(value, made, place)]).toEqual([row.field, place, true]);
        }
      }
    });
  });

  it.each(Object.entries(FORMATS))("leaves no field of %s out", async (format, write) => {
    await withSeed(async (project) => {
      const { sources } = await write(project);
      const named = rowsOf(format).map((row) => row.field);
      const missing = Object.entries(sources).flatMap(([source, fields]) =>
        Object.keys(fields as object)
          .map((name) => `${source}.${name}`)
          .filter((name) => !named.some((one) => one === name || one.startsWith(`${name}.`))),
      );
      expect(missing.filter((name) => !NOT_NAMED.has(name))).toEqual([]);
    });
  });
});

/** Lists whose entries are named, what is the same in another file, and keys that nobody knows. */
const NOT_NAMED: ReadonlySet<string> = new Set([
  "manifest.checkpoints",
  "manifest.rollback_history",
  "manifest.observer",
  "index.checkpoints",
  "entry.checkpoint_id",
  "entry.created_at",
  "registry.checkpoints",
  "record.last_error",
  "record.written_by",
  ...[
    "schema_version",
    "checkpoint_id",
    "workflow_type",
    "workflow_description",
    "created_at",
    "updated_at",
    "status",
    "current_phase",
    "total_phases",
    "completed_phases",
    "workflow_state",
    "written_by",
  ].map((name) => `failed.${name}`),
]);
