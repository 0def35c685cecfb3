import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StateName, StatePart } from "../../../domain/parts.ts";
import type { StateAsk } from "../../../ports/part-keepers.ts";
import { partKeeperSuite, type PartSubject } from "../../../ports/part-keeper.suite.ts";
import { holdInMemory, type HeldInMemory } from "../../memory/held-part.fixture.ts";
import { tempFolder } from "../temp-folder.fixture.ts";
import { StateKeeper } from "./state-keeper.ts";

const MIB = 1024 * 1024;

interface Scene {
  readonly root: string;
  readonly keeper: StateKeeper;
  readonly file: string;
  session: Partial<Record<StateName, unknown>>;
}

function scene(maxBytes = MIB, root = tempFolder()): Scene {
  const made: Scene = {
    root,
    file: join(root, "flow", "state.yml"),
    session: {},
    keeper: new StateKeeper({
      root,
      git: "git",
      maxBytes,
      current: (name) => Promise.resolve(made.session[name]),
    }),
  };
  mkdirSync(join(root, "flow"));
  return made;
}

const STATES = [
  { text: "# the plan\nphase: plan\nstep: 1\n", mode: 0o644 },
  { text: "phase: implement\nstep: 2\nextra: [1, 2]\n", mode: 0o600 },
  { text: '{"phase": "validate", "step": 3}', mode: 0o640 },
] as const;

const OUTPUTS = [{ spec: 1 }, { spec: 2, more: true }, ["a"]] as const;

type Held = HeldInMemory<StatePart>;

function subject(): Promise<PartSubject<Held>> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-test-")));
  const { root, keeper, file } = scene(MIB, folder);
  const outputs = join(root, "outputs.json");
  const ask: StateAsk = {
    documents: [
      { name: "state", kind: "file", path: file },
      { name: "outputs", kind: "file", path: outputs },
    ],
    keys: null,
  };
  const restoring = async (to: Held, expected: Held) =>
    keeper.prepare({ to, expected, paths: null });
  return Promise.resolve({
    put: (state) => {
      writeFileSync(file, STATES[state].text);
      chmodSync(file, STATES[state].mode);
      // In one of the states there is no such file.
      if (state === 1) rmSync(outputs, { force: true });
      else writeFileSync(outputs, JSON.stringify(OUTPUTS[state]));
      return Promise.resolve();
    },
    look: () =>
      Promise.resolve(
        readdirSync(root, { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(yml|json)/.test(name))
          .toSorted()
          .map((name) => [name, readFileSync(join(root, name), "utf8")]),
      ),
    capture: async () => {
      const there = readdirSync(root).includes("outputs.json");
      const documents = there ? ask.documents : ask.documents.slice(0, 1);
      return holdInMemory(await keeper.capture({ ...ask, documents }));
    },
    captureLike: async (held) => holdInMemory(await keeper.captureLike(held)),
    digestOf: (held) => held.part.digest,
    verify: (held) => keeper.verify(held),
    prepareOnly: async (to, expected) => (await restoring(to, expected)).close(),
    restore: async (to, expected) => {
      const prepared = await restoring(to, expected);
      const kept = await prepared.apply();
      const mismatches = await prepared.mismatches();
      prepared.close();
      return { kept: kept.map(({ what }) => what), mismatches };
    },
    damages: {
      "an entry is missing": async (held) => void held.entries.delete("state.json"),
      "the file's bytes are others": async (held) =>
        void held.entries.set("state.source", Buffer.from("phase: other\n")),
      "the document is another": async (held) =>
        void held.entries.set("state.json", Buffer.from('{"phase":"x"}')),
      "the document is cut": async (held) =>
        void held.entries.set("state.json", Buffer.from('{"pha')),
    },
    nowOf: async (held) => (await keeper.preview(held)).now,
    saysAbout: async (held) =>
      JSON.stringify([held.part, await keeper.describe(held), await keeper.preview(held)]),
    secrets: ["validate", "implement", "# the plan"],
    litter: () =>
      Promise.resolve(readdirSync(join(root, "flow")).filter((name) => name.includes(".waymark-"))),
    close: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
}

describe("StateKeeper", () => {
  partKeeperSuite(subject, [
    "an entry is missing",
    "the file's bytes are others",
    "the document is another",
    "the document is cut",
  ]);

  async function keyed(made: Scene, keys: readonly string[] | null, path = made.file) {
    const documents = [{ name: "state" as const, kind: "file" as const, path }];
    return holdInMemory(await made.keeper.capture({ documents, keys }));
  }

  async function restore(made: Scene, to: Held, expected: Held): Promise<string[]> {
    const prepared = await made.keeper.prepare({ to, expected, paths: null });
    const kept = await prepared.apply();
    expect(await prepared.mismatches()).toEqual([]);
    return kept.map(({ what }) => what);
  }

  it("[R73] restores only the keys that were asked for; comments and the rest stay", async () => {
    const made = scene();
    writeFileSync(made.file, "# mine\na: 1\nb: {c: 2, d: 3} # here\n");
    const held = await keyed(made, ["b.c"]);
    expect(held.entries.get("state.json")?.toString()).toBe('{\n  "b": {\n    "c": 2\n  }\n}\n');
    writeFileSync(made.file, "# mine\na: 10\nb: {c: 20, d: 30} # here\n");
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    expect(await restore(made, held, safety)).toEqual([]);
    expect(readFileSync(made.file, "utf8")).toBe("# mine\na: 10\nb: {c: 2, d: 30} # here\n");
    expect(await restore(made, safety, held)).toEqual([]);
    // Nothing else changed, so the bytes come back.
    expect(readFileSync(made.file, "utf8")).toBe("# mine\na: 10\nb: {c: 20, d: 30} # here\n");
  });

  it.each([
    [
      "YAML",
      "phase: a   # why a\nlist: [1,2,3]\ndeep:\n  - x: 1 # x\n",
      "phase: b   # why a\nlist: [1,2,3]\ndeep:\n  - x: 1 # x\n",
    ],
    [
      "JSON",
      '{"phase": "a", "big": 12345678901234567890, "f": 1.0,\n "e": 1e3}',
      '{"phase": "b", "big": 12345678901234567890, "f": 1.0,\n "e": 1e3}',
    ],
    ["a map that became a word", "phase:\n  a: 1\n  b: [2]\nz: 1\n", "phase: gone\nz: 1\n"],
    ["a key that went", "# top\nphase: a\nz: 1 # z\n", "# top\nz: 1 # z\n"],
  ])("[R73] leaves everything else as it is written: %s", async (_name, then, now) => {
    const made = scene();
    writeFileSync(made.file, then);
    const held = await keyed(made, ["phase"]);
    writeFileSync(made.file, now);
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    await restore(made, held, safety);
    const phase = readFileSync(made.file, "utf8");
    expect(phase).not.toBe(now);
    for (const line of now.split("\n").filter((text) => !text.includes("phase"))) {
      expect(phase).toContain(line);
    }
    if (!_name.startsWith("a ")) expect(phase).toBe(then);
    await restore(made, safety, held);
    expect(readFileSync(made.file, "utf8")).toBe(now);
  });

  it("says when numbers have more digits than JSON keeps, and takes none of them as a key", async () => {
    const made = scene();
    writeFileSync(
      made.file,
      '{"big": 12345678901234567890, "ok": 0.1, "s": "12345678901234567890"}',
    );
    const documents = [{ name: "state" as const, kind: "file" as const, path: made.file }];
    const { warnings } = await made.keeper.capture({ documents, keys: null });
    expect(warnings).toEqual([expect.stringContaining("more digits")]);
    await expect(keyed(made, ["big"])).rejects.toMatchObject({ code: "usage" });
    await keyed(made, ["ok", "s"]);
    writeFileSync(made.file, "big: 12345678901234567890\n");
    expect((await made.keeper.capture({ documents, keys: null })).warnings).toHaveLength(1);
    writeFileSync(made.file, '{"a": 123456789012345, "b": 1.50, "c": 1e300}');
    expect((await made.keeper.capture({ documents, keys: null })).warnings).toEqual([]);
  });

  it("leaves what others did to other keys in between", async () => {
    const made = scene();
    writeFileSync(made.file, '{\n\t"a": 1,\n\t"b": 1\n}\n');
    const held = await keyed(made, ["a"]);
    writeFileSync(made.file, '{\n\t"a": 2,\n\t"b": 2\n}\n');
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    await restore(made, held, safety);
    expect(readFileSync(made.file, "utf8")).toBe('{\n\t"a": 1,\n\t"b": 2\n}\n');
    writeFileSync(made.file, '{\n\t"a": 1,\n\t"b": 3\n}\n');
    await restore(made, safety, held);
    expect(readFileSync(made.file, "utf8")).toBe('{\n\t"a": 2,\n\t"b": 3\n}\n');
  });

  it("refuses a key of which the state has nothing, and names the nearest", async () => {
    const made = scene();
    writeFileSync(made.file, "phase: 1\n");
    await expect(keyed(made, ["phse"])).rejects.toMatchObject({
      code: "usage",
      hint: expect.stringContaining("Did you mean phase?") as string,
    });
  });

  it.each([
    ["two documents", "a: 1\n---\nb: 2\n"],
    ["nothing at all", ""],
    ["a key twice", "a: 1\na: 2\n"],
    ["a broken one", "a: [1\n"],
    ["a number that JSON does not have", "a: .inf\n"],
    ["aliases that grow without end", bomb()],
    ["a hundred thousand levels", "[".repeat(100_000)],
    ["three hundred levels", `${"[".repeat(300)}${"]".repeat(300)}`],
  ])("refuses %s", async (_what, text) => {
    const made = scene();
    writeFileSync(made.file, text);
    await expect(keyed(made, null)).rejects.toMatchObject({ code: "usage" });
  });

  it("does not show the text of a broken document", async () => {
    const made = scene();
    writeFileSync(made.file, "password: 'hunter2\nother: [");
    await expect(keyed(made, null)).rejects.toSatisfy(
      (error) => !JSON.stringify([(error as Error).message, error]).includes("hunter2"),
    );
  });

  it("refuses one that is too large", async () => {
    const made = scene(100);
    writeFileSync(made.file, JSON.stringify("x".repeat(200)));
    await expect(keyed(made, null)).rejects.toMatchObject({ code: "over_budget" });
  });

  it("holds a file outside of the project for the session only", async () => {
    const made = scene();
    const outside = join(tempFolder(), "s.json");
    writeFileSync(outside, '{"a":1}');
    const captured = await made.keeper.capture({
      documents: [{ name: "state", kind: "file", path: outside }],
      keys: null,
    });
    expect(captured.warnings).toEqual([expect.stringContaining("outside the project")]);
    expect(captured.part.documents[0]?.path).toBeNull();
  });

  it("follows a link to a file of the project, and not out of it when restoring", async () => {
    const made = scene();
    writeFileSync(made.file, "a: 1\n");
    const link = join(made.root, "link.yml");
    symlinkSync(made.file, link);
    const held = await keyed(made, null, link);
    expect(held.part.documents[0]?.path).toBe("flow/state.yml");
    writeFileSync(made.file, "a: 2\n");
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    const elsewhere = tempFolder();
    writeFileSync(join(elsewhere, "state.yml"), "a: 2\n");
    rmSync(join(made.root, "flow"), { recursive: true });
    symlinkSync(elsewhere, join(made.root, "flow"));
    onTestFinished(() => rmSync(join(made.root, "flow")));
    const prepared = await made.keeper.prepare({ to: held, expected: safety, paths: null });
    expect(await prepared.apply()).toHaveLength(1);
    expect(readFileSync(join(elsewhere, "state.yml"), "utf8")).toBe("a: 2\n");
  });

  it("never writes where an imported checkpoint must not", async () => {
    const made = scene();
    writeFileSync(made.file, "a: 1\n");
    const held = await keyed(made, null);
    const ours = [".checkpoints/repo.git/config", ".Waymark/audit.log"];
    for (const path of ["../x.yml", "/etc/x.yml", ".git/config", "a/.GIT/x", ...ours]) {
      const [document] = held.part.documents;
      const part = { ...held.part, documents: [{ ...document, path }] } as StatePart;
      // One that was fetched is not known as foreign, so no mark helps.
      for (const isForeign of [true, false]) {
        expect(await made.keeper.verify({ ...held, isForeign, part })).not.toEqual([]);
      }
    }
  });

  it("says before and after that what is no file, or has no keys, is left alone", async () => {
    const made = scene();
    writeFileSync(made.file, "a: 1\n");
    const [whole, limited] = [await keyed(made, null), await keyed(made, ["a"])];
    const apart = async (held: Held): Promise<void> => {
      const preview = await made.keeper.preview(held);
      expect(preview.changes).toEqual([]);
      expect(preview.kept).toHaveLength(1);
      const expected = await holdInMemory(await made.keeper.captureLike(held));
      const prepared = await made.keeper.prepare({ to: held, expected, paths: null });
      expect(await prepared.apply()).toEqual(preview.kept);
    };
    writeFileSync(made.file, "[1, 2]\n");
    await apart(limited);
    expect(readFileSync(made.file, "utf8")).toBe("[1, 2]\n");
    rmSync(made.file);
    symlinkSync("/dev/null", made.file);
    await apart(whole);
    rmSync(made.file);
    mkdirSync(made.file);
    await apart(whole);
  });

  it("puts a file back that a kill left beside its place", async () => {
    const made = scene();
    writeFileSync(made.file, "a: 1\n");
    const held = await keyed(made, null);
    writeFileSync(made.file, "a: 2\n");
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    writeFileSync(`${made.file}.waymark-old-1`, "a: 2\n");
    writeFileSync(`${made.file}.waymark-new-1`, "a: 1\n");
    rmSync(made.file);
    await restore(made, safety, held);
    expect(readFileSync(made.file, "utf8")).toBe("a: 2\n");
    expect(readdirSync(join(made.root, "flow"))).toEqual(["state.yml"]);
  });

  it("compares the session's own state in a preview", async () => {
    const made = scene();
    made.session = { state: { a: 1 } };
    const held = await holdInMemory(
      await made.keeper.capture({
        documents: [{ name: "state", kind: "value", value: { a: 1 } }],
        keys: null,
      }),
    );
    expect((await made.keeper.preview(held)).changes).toEqual([]);
    made.session = { state: { a: 2 } };
    expect((await made.keeper.preview(held)).changes).toHaveLength(1);
    const safety = await holdInMemory(await made.keeper.captureLike(held));
    expect(safety.entries.get("state.json")?.toString()).toBe('{\n  "a": 2\n}\n');
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 10; level++) {
    const before = `*a${level - 1}`;
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => before).join(", ")}]`);
  }
  return `${lines.join("\n")}\n`;
}
