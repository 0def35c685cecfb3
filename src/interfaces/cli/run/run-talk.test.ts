import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunEventBody } from "../../../domain/workflow/run-event.ts";
import { Output } from "../output.ts";
import { RunTalk } from "./run-talk.ts";

const OPTIONS = {
  directory: "/",
  json: false,
  quiet: false,
  color: false,
  colorOfTalk: false,
  session: undefined,
};
const OF = { phase: "one", step: 1 };

afterEach(() => vi.restoreAllMocks());

function said(...events: readonly RunEventBody[]): string {
  let text = "";
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const talk = new RunTalk(new Output(OPTIONS), true);
  for (const event of events) talk.tell({ at: "", session_id: "s", ...event });
  return text;
}

const checkpoint = (id: string, trigger: "batch_complete" | "post_phase"): RunEventBody => ({
  event: "checkpoint_created",
  checkpoint_id: id,
  trigger,
  reason: "after one",
  ...OF,
});
const check: RunEventBody = { event: "verify_started", command: "true", ...OF };

describe("the lines of a run", () => {
  it("name the checkpoint after a phase once, and not that of its last batch", () => {
    const end = [
      checkpoint("cp-batch", "batch_complete"),
      check,
      checkpoint("cp-phase", "post_phase"),
    ];
    expect(said(...end)).toBe("check: true\ncheckpoint cp-phase (after one)\n");
  });

  it("name the checkpoint of a batch that another one follows", () => {
    const next: RunEventBody = { event: "node_started", log: "", node: "b", attempt: 1, ...OF };
    expect(said(checkpoint("cp-batch", "batch_complete"), next)).toBe(
      "checkpoint cp-batch (after one)\nb: started\n",
    );
  });
});
