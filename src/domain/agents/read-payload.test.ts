import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENTS } from "./agents.ts";
import { readPayload } from "./read-payload.ts";

const TYPES = { write: 1, read: 1, shell: 1, other: 1 };

/** Field names that readers look for, so that any value ends up in them. */
const FIELDS =
  `hook_event_name session_id cwd tool_name tool_input tool_use_id prompt toolName toolArgs sessionId workspace_roots workspaceRoots preToolUse tool_call
  tool args call_id taskId command mcp_context turn_id transcript_path userPromptSubmit __proto__ constructor toString prompt_id`.split(
    /\s+/u,
  );
const EVENT_NAMES = ["PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before", "", "x"];
const anyPayload = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...FIELDS), fc.oneof(fc.jsonValue(), fc.string())),
);

describe("what agents say", () => {
  it("[R99] never throws, and what comes out has its types", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...AGENTS),
        fc.option(fc.constantFrom(...EVENT_NAMES), { nil: undefined }),
        anyPayload,
        (agent, name, payload) => {
          const event = readPayload(agent, name, JSON.parse(JSON.stringify(payload)), {});
          if (event === undefined) return;
          expect(AGENTS).toContain(event.agent);
          expect(event.eventName).toBeTypeOf("string");
          expect(event.sessionId).toBeTypeOf("string");
          for (const text of [event.turnId, event.folder, event.prompt, event.tool?.callId])
            expect(["string", "undefined"]).toContain(typeof text);
          if (event.moment === "pre_tool") expect(event.tool).toBeDefined();
          if (event.tool === undefined) return;
          expect(TYPES).toHaveProperty(event.tool.kind);
          expect(event.tool.input).toBeTypeOf("string");
          expect(event.tool.paths.every((path) => typeof path === "string")).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
