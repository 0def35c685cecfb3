/** What is wrong with something that is to be saved in a session: a typing error must not empty what is there. */
import { isRecord } from "../is-record.ts";
import type { ProgressSave } from "./saved-progress.ts";

/** In words, each with the name of what it is about; empty: nothing. */
export function saveProblems(save: ProgressSave): string[] {
  return [
    ...listProblems("messages", save.messages, ["pending", "awaiting", "conflicts"]),
    ...listProblems("knowledge", save.knowledge, ["injected", "captured", "pending"]),
    ...memberProblems(save.team?.["members"]),
    ...(save.agentOutputs ?? []).flatMap(({ agent, task }) =>
      agent === "" || task === "" ? ["agent output: agent and task must both be named"] : [],
    ),
  ];
}

function listProblems(
  what: string,
  given: ProgressSave["messages"],
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const list = given?.[name];
    if (list === undefined) return [];
    const isList = Array.isArray(list) && list.every((item) => typeof item === "string");
    return isList ? [] : [`${what}: \`${name}\` must be a list of ids`];
  });
}

function memberProblems(members: unknown): string[] {
  if (members === undefined) return [];
  const isMember = (member: unknown): boolean =>
    isRecord(member) && typeof member["agent"] === "string";
  return Array.isArray(members) && members.every(isMember)
    ? []
    : ["team: `members` must be a list of objects with `agent`"];
}
