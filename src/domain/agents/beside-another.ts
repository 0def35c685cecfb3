/**
 * What is said to Cline where a script of its user answers the same event: it hears one answer, so the two become one. A denial of either counts, and
 * notes for the model are joined.
 */
import { isRecord } from "../is-record.ts";

type Answer = Readonly<Record<string, unknown>>;

/** Undefined: it is none that anything can be added to. */
function answerIn(text: string): Answer | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const denies = (answer: Answer): boolean => answer["cancel"] === true;

/** Whether a note of ours reaches the model beside that answer: not where nobody can read it, and not where it ends the run. */
export function isHeardBeside(theirs: string): boolean {
  const answer = answerIn(theirs);
  return answer !== undefined && !denies(answer);
}

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** `ours` is an answer, or empty. An empty `stdout`: theirs is passed on as it is. */
export function besideAnother(theirs: string, ours: Said): Said {
  const own = answerIn(ours.stdout) ?? {};
  if (Object.keys(own).length === 0) return ours;
  const their = answerIn(theirs);
  if (their === undefined) {
    if (denies(own)) return { ...ours, stderr: `${ours.stderr}${theirs}\n` };
    return { stdout: "", stderr: `${ours.stderr}${ours.stdout}` };
  }
  const joined = {
    ...own,
    ...their,
    ...(denies(own) || denies(their) ? { cancel: true } : {}),
    ...textsOf("contextModification", their, own),
    ...textsOf("errorMessage", their, own),
  };
  return { ...ours, stdout: `${JSON.stringify(joined)}\n` };
}

function textsOf(name: string, ...answers: readonly Answer[]): Answer {
  const texts = answers.map((answer) => answer[name]).filter((text) => typeof text === "string");
  const text = texts.filter((each) => each !== "").join("\n\n");
  return text === "" ? {} : { [name]: text };
}
