/** The words that a shell offers, each with a few words about it. */
import type {
  NamedCheckpoint,
  NamedSession,
  SelectorNames,
} from "../../../operations/selector-names.ts";
import {
  firstWord,
  secondWord,
  type CommandFamily,
  type CommandSpec,
  type Completes,
  type OptionSpec,
} from "../command-spec.ts";
import { counted, relativeTime } from "../units.ts";
import { readFlags } from "./flags.ts";

export interface Candidate {
  readonly word: string;
  readonly text: string;
}

const HELP: Candidate = { word: "help", text: "print the help of a command" };

export function commandCandidates(
  commands: readonly CommandSpec[],
  families: readonly CommandFamily[],
): Candidate[] {
  const shown = commands.filter((spec) => spec.isHidden !== true && secondWord(spec) === undefined);
  const all = [...shown, ...families];
  return [...all.map(({ name, summary }) => ({ word: name, text: summary })), HELP];
}

/** What may come after the name of a family. */
export function familyCandidates(commands: readonly CommandSpec[], family: string): Candidate[] {
  return commands
    .filter((spec) => spec.isHidden !== true && firstWord(spec) === family)
    .flatMap((spec) => {
      const word = secondWord(spec);
      return word === undefined ? [] : [{ word, text: spec.summary }];
    });
}

/** Long names, and short ones where there is no other. */
export function optionCandidates(options: readonly OptionSpec[]): Candidate[] {
  return options.flatMap((option) => {
    const { names } = readFlags(option);
    const word = names.find((name) => name.startsWith("--")) ?? names[0];
    return word === undefined ? [] : [{ word, text: option.text }];
  });
}

export function wordCandidates(words: Exclude<Completes, string>): Candidate[] {
  return words.map((word) => ({ word, text: "" }));
}

export function checkpointCandidates(names: SelectorNames, typed: string, now: Date): Candidate[] {
  const { checkpoints, steps, phases, sessions } = names;
  const count = checkpoints.length;
  return [
    ...(count > 0 ? [{ word: "latest", text: "the last checkpoint" }] : []),
    ...(typed.startsWith("latest") ? earlierOnes(Math.min(count - 1, 9)) : []),
    ...phases.map((phase) => ({ word: `phase:${phase}`, text: `before the phase ${phase}` })),
    ...steps.map((step) => ({ word: String(step), text: `the end of step ${step}` })),
    ...(typed.startsWith("session:")
      ? sessions.map((id) => ({ word: `session:${id}/latest`, text: "its last checkpoint" }))
      : []),
    ...checkpoints.map((checkpoint) => ({ word: checkpoint.id, text: about(checkpoint, now) })),
  ];
}

function earlierOnes(count: number): Candidate[] {
  return Array.from({ length: Math.max(0, count) }, (_, at) => ({
    word: `latest~${at + 1}`,
    text: `${counted(at + 1, "checkpoint")} before the last`,
  }));
}

function about({ document }: NamedCheckpoint, now: Date): string {
  if (document === undefined) return "damaged";
  const why = document.reason ?? document.name ?? document.phase ?? document.trigger;
  return `${relativeTime(document.created_at, now)}: ${why}`;
}

export function sessionCandidates(names: readonly NamedSession[]): Candidate[] {
  return names.map(({ id, status, about }) => ({
    word: id,
    text: about === "" ? status : `${status}: ${about}`,
  }));
}

/**
 * One line each, the word and the text about it with a tab between. Names of sessions and phases are whatever somebody
 * wrote: one that a shell would take for more than a word is not offered, and no control character gets out.
 */
export function candidateLines(candidates: readonly Candidate[], prefix: string): string[] {
  return candidates
    .filter(({ word }) => /^[\w@%+=:,./~-]+$/.test(word))
    .map(({ word, text }) => {
      const clean = text.replaceAll(/[\s\p{Cc}\p{Bidi_Control}]+/gu, " ").trim();
      return clean === "" ? prefix + word : `${prefix}${word}\t${clean.slice(0, 80)}`;
    });
}
