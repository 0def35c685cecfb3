import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleDocument } from "../../../domain/checkpoint.fixture.ts";
import { candidateLines, checkpointCandidates, optionCandidates } from "./candidates.ts";

const NOW = new Date("2026-11-15T18:46:30.000Z");

describe("candidates", () => {
  const names = {
    checkpoints: [
      { id: "cp-b", document: sampleDocument({ id: "cp-b", reason: "why" }) },
      { id: "cp-a", document: undefined },
    ],
    steps: [4],
    phases: ["implement"],
    sessions: ["task-12"],
  };
  const words = (typed: string) =>
    checkpointCandidates(names, typed, NOW).map((candidate) => candidate.word);

  it("are the words that mean a checkpoint, then the ids", () => {
    expect(words("")).toEqual(["latest", "phase:implement", "4", "cp-b", "cp-a"]);
  });

  it("go further back, and to other sessions, once that is asked for", () => {
    expect(words("latest~")).toContain("latest~1");
    expect(words("latest~")).not.toContain("latest~2");
    expect(words("session:")).toContain("session:task-12/latest");
  });

  it("say a few words about each", () => {
    const about = checkpointCandidates(names, "", NOW).map((candidate) => candidate.text);
    expect(about).toContain("1 minute ago: why");
    expect(about).toContain("damaged");
  });

  it("name options by their long name, if they have one", () => {
    const options = [
      { flags: "-m, --reason <text>", text: "why" },
      { flags: "-C <dir>", text: "where" },
    ];
    expect(optionCandidates(options).map(({ word }) => word)).toEqual(["--reason", "-C"]);
  });

  it("are plain words: nothing that a shell would take for more gets out", () => {
    const hostile = ["$(id)", "a b", "a;b", "`id`", "a\nb", "'", "a|b", "*", "", "a&b", "a>b"];
    const lines = candidateLines(
      hostile.map((word) => ({ word, text: "" })),
      "",
    );
    expect(lines).toEqual([]);
  });

  it("stay one line each, whatever somebody wrote", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (word, text) => {
        for (const line of candidateLines([{ word, text }], "")) {
          expect(line).toMatch(/^[\w@%+=:,./~-]+(?:\t[^\p{Cc}]+)?$/u);
        }
      }),
    );
  });
});
