/** Text that agents send, as a part of one line: short, without control characters and without secrets. */
import { redactCommand } from "../secrets/redact.ts";

/** What is looked at: nobody needs more of a text that is cut to a line. */
const MOST_READ = 4000;

export function shortLine(text: string, most: number): string {
  const line = redactCommand(text.slice(0, MOST_READ))
    .replaceAll(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ")
    .trim();
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join("")}…`;
}
