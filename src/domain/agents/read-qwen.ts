/** Qwen's payloads: Claude's form. It also says UserPromptSubmit each time when it sends results of tools to the model, then without a prompt. */
import { fieldOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";

export function readQwen(payload: Fields): PayloadParts {
  const parts = readClaudeForm(payload);
  const goesOn = fieldOf(payload, "prompt") === "" && !Object.hasOwn(payload, "submitted_prompt");
  return goesOn && parts.eventName === "UserPromptSubmit" ? { ...parts, moment: "other" } : parts;
}
