/** OpenAI's responses API, as far as Codex needs it. */
import { field } from "../../../support/json.ts";
import { eventStream, type ModelProtocol, type ModelStep } from "../scripted-model.ts";

const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };

export const openaiResponses: ModelProtocol = {
  isConversation(request) {
    const tools = field(request.body, "tools");
    return request.path.endsWith("/responses") && Array.isArray(tools) && tools.length > 0;
  },

  answer(step, _request, number) {
    const id = `resp_${number}`;
    const items = itemsOf(step, number);
    const events = [
      { type: "response.created", response: { id } },
      ...items.map((item, at) => ({ type: "response.output_item.done", output_index: at, item })),
      { type: "response.completed", response: { id, output: items, usage } },
    ];
    return eventStream(events.map((data) => ({ event: data.type, data })));
  },
};

function itemsOf(step: ModelStep, number: number): readonly Readonly<Record<string, unknown>>[] {
  if ("text" in step) {
    const content = [{ type: "output_text", text: step.text, annotations: [] }];
    return [{ type: "message", id: `msg_${number}`, role: "assistant", content }];
  }
  return step.calls.map(({ name, input }, at) => {
    const ids = { id: `item_${number}_${at}`, call_id: `call_${number}_${at}` };
    return typeof input === "string"
      ? { type: "custom_tool_call", ...ids, name, input }
      : { type: "function_call", ...ids, name, arguments: JSON.stringify(input) };
  });
}
