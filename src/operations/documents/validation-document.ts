/** Whether checkpoints are whole, as the document `validation`. */
import { isDamaged, type Validation } from "../validate-checkpoints.ts";

export function validationDocument(validation: Validation): Record<string, unknown> {
  const { results, valid, invalid, newer, lastValid, unreadableSessions } = validation;
  return {
    checkpoints: results,
    valid,
    invalid,
    newer,
    unreadable_sessions: unreadableSessions.map(({ message, hint }) => ({ message, hint })),
    last_valid: lastValid ?? null,
    ways_on: waysOn(validation),
  };
}

const MOST_NAMED = 5;

/** What can be done about what was found. */
export function waysOn({ results, lastValid }: Validation): { command: string; text: string }[] {
  const bad = results.filter(isDamaged);
  if (bad.length === 0) return [];
  const named = bad.slice(0, MOST_NAMED);
  return [
    ...named.map(({ id }) => ({
      command: `waymark rebuild ${id}`,
      text: "repair it from other copies (--from another clone or an export)",
    })),
    ...(lastValid === undefined
      ? []
      : [{ command: `waymark rollback ${lastValid}`, text: "restore the last valid one" }]),
    {
      command: `waymark delete ${named.map(({ id }) => id).join(" ")}`,
      text: named.length === 1 ? "delete it" : "delete them",
    },
  ];
}
