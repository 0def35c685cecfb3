/** Offers a few ways on and asks for one of them, by its letter or its word. */
import { askAnswer } from "./prompt.ts";
import { oneLine } from "./printable.ts";
import type { Output } from "./output.ts";

export interface Choice<Word extends string> {
  /** Its first letter answers, too; no two begin with the same. */
  readonly word: Word;
  /** `start fresh`, when that is more than the word; begins with the same letter. */
  readonly label?: string;
  readonly text: string;
}

/** The last one of a menu. */
export const QUIT = { word: "quit", text: "cancel" } as const;

/** Asks until one of them is named; undefined at the end of the input and at Ctrl+C. */
export async function askChoice<Word extends string>(
  output: Output,
  choices: readonly Choice<Word>[],
): Promise<Word | undefined> {
  const labels = choices.map(({ word, label = word }) => `(${label.slice(0, 1)})${label.slice(1)}`);
  const width = Math.max(...labels.map((label) => label.length));
  output.question([
    "",
    ...choices.map(
      ({ text }, at) => `  ${output.paintTalk("bold", (labels[at] ?? "").padEnd(width))}  ${text}`,
    ),
  ]);
  const letters = choices.map(({ word }) => word.slice(0, 1)).join("/");
  for (;;) {
    const line = await askAnswer(`Choice [${letters}]: `);
    if (line === undefined) return undefined;
    const said = line.trim().toLowerCase();
    const found = choices.find(
      ({ word, label }) => [word, word.slice(0, 1)].includes(said) || label === said,
    );
    if (found !== undefined) return found.word;
    const problem = said === "" ? "" : `"${oneLine(said)}" is not one of the choices; `;
    process.stderr.write(`${problem}type one of ${letters.replaceAll("/", ", ")}\n`);
  }
}
