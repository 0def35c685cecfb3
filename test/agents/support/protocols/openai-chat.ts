/** OpenAI's chat completions API, as far as Copilot CLI, Qwen Code, opencode and Cline need it. */
import { field } from "../../../support/json.ts";
import { eventStream, jsonAnswer, type ModelProtocol, type ModelStep } from "../scripted-model.ts";

const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

export const openaiChat: ModelProtocol = {
  isConversation(request) {
    const tools = field(request.body, "tools");
    return request.path.endsWith("/chat/completions") && Array.isArray(tools) && tools.length > 0;
  },

  answer(step, request, number) {
    const message = messageOf(step, number);
    const reason = { index: 0, finish_reason: "calls" in step ? "tool_calls" : "stop" };
    const common = { id: `chatcmpl-${number}`, created: 1, model: field(request.body, "model") };
    if (field(request.body, "stream") !== true) {
      const choices = [{ ...reason, message }];
      return jsonAnswer({ ...common, object: "chat.completion", choices, usage });
    }
    const chunks = [
      { choices: [{ index: 0, delta: message, finish_reason: null }] },
      { choices: [{ ...reason, delta: {} }] },
      { choices: [], usage },
    ];
    const events = chunks.map((chunk) => ({
      data: { ...common, object: "chat.completion.chunk", ...chunk },
    }));
    return eventStream([...events, { data: "[DONE]" }]);
  },
};

function messageOf(step: ModelStep, number: number): Readonly<Record<string, unknown>> {
  if ("text" in step) return { role: "assistant", content: step.text };
  const calls = step.calls.map(({ name, input }, index) => ({
    index,
    id: `call_${number}_${index}`,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: "assistant", content: null, tool_calls: calls };
}
