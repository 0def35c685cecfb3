/** Anthropic's messages API, as far as Claude Code needs it. */
import { field } from "../../../support/json.ts";
import {
  eventStream,
  jsonAnswer,
  type ModelProtocol,
  type ModelRequest,
  type ModelStep,
} from "../scripted-model.ts";

interface Block {
  readonly whole: Readonly<Record<string, unknown>>;
  /** The block as it begins, and what is added to it. */
  readonly empty: Readonly<Record<string, unknown>>;
  readonly delta: Readonly<Record<string, unknown>>;
}

const usage = { input_tokens: 10, output_tokens: 10 };

export const anthropic: ModelProtocol = {
  isConversation(request) {
    const tools = field(request.body, "tools");
    return isMessages(request) && Array.isArray(tools) && tools.length > 0;
  },

  other(request) {
    return request.path.startsWith("/v1/messages/count_tokens")
      ? jsonAnswer({ input_tokens: 10 })
      : undefined;
  },

  answer(step, request, number) {
    const blocks = blocksOf(step, number);
    const stop = { stop_reason: "calls" in step ? "tool_use" : "end_turn", stop_sequence: null };
    const message = {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: field(request.body, "model"),
    };
    if (field(request.body, "stream") !== true) {
      return jsonAnswer({ ...message, ...stop, usage, content: blocks.map(({ whole }) => whole) });
    }
    const events = [
      { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
      ...blocks.flatMap(({ empty, delta }, index) => [
        { type: "content_block_start", index, content_block: empty },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ]),
      { type: "message_delta", delta: stop, usage },
      { type: "message_stop" },
    ];
    return eventStream(events.map((data) => ({ event: data.type, data })));
  },
};

function isMessages(request: ModelRequest): boolean {
  return request.method === "POST" && /^\/v1\/messages(\?|$)/.test(request.path);
}

function blocksOf(step: ModelStep, number: number): readonly Block[] {
  if ("text" in step) {
    return [
      {
        whole: { type: "text", text: step.text },
        empty: { type: "text", text: "" },
        delta: { type: "text_delta", text: step.text },
      },
    ];
  }
  return step.calls.map(({ name, input }, at) => {
    const block = { type: "tool_use", id: `toolu_${number}_${at}`, name };
    return {
      whole: { ...block, input },
      empty: { ...block, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    };
  });
}
