/** Google's generate-content API, as far as Gemini CLI needs it. */
import { field } from "../../../support/json.ts";
import { eventStream, jsonAnswer, type ModelProtocol, type ModelStep } from "../scripted-model.ts";

export const google: ModelProtocol = {
  isConversation(request) {
    const tools = field(request.body, "tools");
    const streams = request.path.includes(":streamGenerateContent");
    return streams && Array.isArray(tools) && tools.length > 0;
  },

  other(request) {
    return request.path.includes(":countTokens") ? jsonAnswer({ totalTokens: 10 }) : undefined;
  },

  answer(step, request) {
    const document = {
      candidates: [
        { index: 0, finishReason: "STOP", content: { role: "model", parts: partsOf(step) } },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    };
    return request.path.includes(":streamGenerateContent")
      ? eventStream([{ data: document }])
      : jsonAnswer(document);
  },
};

function partsOf(step: ModelStep): readonly unknown[] {
  if ("text" in step) return [{ text: step.text }];
  return step.calls.map(({ name, input }) => ({ functionCall: { name, args: input } }));
}
