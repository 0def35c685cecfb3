import { describe, expect, it } from "vitest";
import type { CommandSpec, OptionSpec } from "../command-spec.ts";
import { completionPoint, type Wanted } from "./completion-point.ts";

const load = () => Promise.reject(new Error("not loaded here"));

const commands: CommandSpec[] = [
  {
    name: "go",
    group: "Restore",
    summary: "go",
    arguments: [{ name: "[to]", text: "where", completes: "checkpoint" }],
    options: [
      { flags: "-m, --reason <text>", text: "why" },
      { flags: "--how <way>", text: "how", completes: ["fast", "slow"] },
      { flags: "--paths <path...>", text: "which", completes: "file" },
      { flags: "-y, --yes", text: "yes" },
    ],
    examples: [],
    kinds: [],
    load,
  },
  {
    name: "check",
    group: "Inspect",
    summary: "check",
    arguments: [{ name: "[which...]", text: "which", completes: "checkpoint" }],
    examples: [],
    kinds: [],
    load,
  },
  { name: "bare", group: "Inspect", summary: "bare", examples: [], kinds: [], load },
  {
    name: "session show",
    group: "Workflows",
    summary: "show",
    arguments: [{ name: "[session]", text: "which", completes: "session" }],
    options: [{ flags: "--how <way>", text: "how", completes: ["short", "long"] }],
    examples: [],
    kinds: [],
    load,
  },
];
const globals: OptionSpec[] = [
  { flags: "-C <dir>", text: "where", completes: "folder" },
  { flags: "--session <id>", text: "which", completes: "session" },
];

const nested: CommandSpec[] = [
  {
    ...(commands[0] as CommandSpec),
    name: "tune",
    arguments: [{ name: "[key]", text: "k", completes: "setting" }],
  },
  { ...(commands[0] as CommandSpec), name: "tune trust", arguments: [], options: [] },
];

describe("a command that runs another one", () => {
  it("offers none of its own options after the first word of that one", () => {
    const runs: CommandSpec = {
      ...(commands[0] as CommandSpec),
      arguments: [{ name: "<command...>", text: "what", completes: "command" }],
    };
    const wants = (...words: string[]): Wanted =>
      completionPoint(words, { commands: [runs], globals }).wants;
    expect(wants("go", "--how", "fast", "-")).toMatchObject({ kind: "option" });
    expect(wants("go", "make", "-")).toEqual({ kind: "value", completes: "command" });
  });
});

describe("a command that another one belongs to", () => {
  const point = (...words: string[]) =>
    completionPoint(words, { commands: [...commands, ...nested], globals });

  it("is offered with what that one takes, and has options of its own", () => {
    const wants = { kind: "value", completes: "setting", orCommandOf: "tune" };
    expect(point("tune", "").wants).toEqual(wants);
    expect(point("tune", "retention", "").wants).toMatchObject({ kind: "option" });
    expect(point("tune", "trust", "--").wants).toMatchObject({
      kind: "option",
      options: [...globals, { flags: "-h, --help" }],
    });
  });
});

const at = (...words: string[]) => completionPoint(words, { commands, globals });
const value = (completes: unknown): Wanted => ({ kind: "value", completes }) as Wanted;

describe("a command of a family", () => {
  const family = (name: string | undefined): Wanted => ({ kind: "command", family: name });

  it.each<[string[], Wanted]>([
    [["se"], family(undefined)],
    [["session", ""], family("session")],
    [["-C", "/x", "session", "sh"], family("session")],
    [["help", "session", ""], family("session")],
    [["session", "show", ""], value("session")],
    [["session", "show", "--how", ""], value(["short", "long"])],
    [["session", "nothing", ""], value(undefined)],
    [["help", "session", "show", ""], value(undefined)],
  ])("%j", (words, wanted) => {
    expect(at(...words).wants).toEqual(wanted);
  });
});

describe("what comes next", () => {
  it.each<[string[], Wanted["kind"]]>([
    [[""], "command"],
    [["g"], "command"],
    [["-C", "/x", ""], "command"],
    [["help", ""], "command"],
    [["go", "-"], "option"],
    [["--"], "option"],
    [["bare", ""], "option"],
    [["go", "--paths", "a", "--"], "option"],
  ])("%j: a %s", (words, kind) => {
    expect(at(...words).wants.kind).toBe(kind);
  });

  it.each<[string[], Wanted]>([
    [["go", ""], value("checkpoint")],
    [["go", "--yes", "cp"], value("checkpoint")],
    [["go", "-m", "two words", "cp"], value("checkpoint")],
    [["go", "-m", "--yes", "cp"], value("checkpoint")],
    [["go", "--reason=x", "cp"], value("checkpoint")],
    [["go", "--", "-x"], value("checkpoint")],
    [["go", "first", ""], { kind: "option", options: expect.anything() as never }],
    [["go", "-m", ""], value(undefined)],
    [["go", "-m", "-"], value(undefined)],
    [["go", "--how", ""], value(["fast", "slow"])],
    [["go", "--how=f"], value(["fast", "slow"])],
    [["go", "--nonsense=f"], value(undefined)],
    [["go", "--paths", "a", "b"], value("file")],
    [["check", "one", "two", ""], value("checkpoint")],
    [["-C", ""], value("folder")],
    [["go", "--session", ""], value("session")],
    [["nonsense", ""], value(undefined)],
    [["help", "go", ""], value(undefined)],
  ])("%j", (words, wants) => {
    expect(at(...words).wants).toEqual(wants);
  });

  it("knows the part that is typed, and what stands before it in the word", () => {
    expect(at("go", "--how=fa")).toMatchObject({ prefix: "--how=", typed: "fa" });
    expect(at("go", "cp")).toMatchObject({ prefix: "", typed: "cp" });
  });

  it("knows the folder and the session that were named", () => {
    expect(at("-C", "/x", "go", "--session=s", "")).toMatchObject({
      directory: "/x",
      sessionId: "s",
    });
    expect(at("go", "")).toMatchObject({ directory: undefined, sessionId: undefined });
  });

  it("offers the options of the command, then those of every command", () => {
    const { wants } = at("go", "--");
    const flags = wants.kind === "option" ? wants.options.map((option) => option.flags) : [];
    expect(flags).toEqual([
      "-m, --reason <text>",
      "--how <way>",
      "--paths <path...>",
      "-y, --yes",
      "-C <dir>",
      "--session <id>",
      "-h, --help",
    ]);
  });
});
