/** What an agent hears with its hooks although it did not ask: rollbacks that took its work back, and one that was interrupted. */
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import { tellUser } from "../../domain/agents/failure-words.ts";
import { takesContext } from "../../domain/agents/reply-text.ts";
import { newsText, readNote, untold, withoutUndone } from "../../domain/agents/rollback-news.ts";
import { inEffect, notInEffect } from "../../domain/config-consent.ts";
import { outOfSightHint, outOfSightText } from "../../domain/out-of-sight.ts";
import type { AgentSessionMemory } from "../../ports/agent-memory.ts";
import type { Unfinished } from "../../ports/restorer.ts";
import { rememberSession, sessionKey } from "./agent-session.ts";
import type { Project } from "../project.ts";

/**
 * The note about rollbacks since this session was there, once. `session`: as it was before this hook; undefined: it begins with it, and what
 * it has not seen it need not unlearn.
 */
export function rollbackNews(
  project: Project,
  event: AgentEvent,
  session: AgentSessionMemory | undefined,
): string | undefined {
  if (!takesContext(event)) return undefined;
  if (session === undefined) return undefined;
  const notes = project.notes.read().flatMap((note) => readNote(note) ?? []);
  const last = notes.at(-1);
  if (last === undefined || untold(notes, session).length === 0) return undefined;
  let due: ReturnType<typeof untold> = [];
  rememberSession(project.agentMemory, sessionKey(event), project.clock.now(), (before) => {
    // Another hook of the same prompt may have told it by now.
    due = untold(notes, before);
    return { ...before, toldOf: last.id };
  });
  return newsText(withoutUndone(due));
}

/** Hooks only say it: the next command that changes something, or `recover`, puts it right. */
export function unfinishedNews(
  project: Project,
  event: AgentEvent,
  session: AgentSessionMemory,
): HookReply {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return {};
  const text = unfinishedText(unfinished);
  return toldOnce(project, event, session, {
    field: "toldUnfinished",
    id: unfinished.rollbackId,
    text,
  });
}

/**
 * Settings of the project that wait for the user's consent, or weaken protection with it: once per session, and again when they change. With every
 * tool call it would be noise; never, and the user of an agent in a cloned project would not know what is protected.
 */
export function settingsNews(
  project: Project,
  event: AgentEvent,
  session: AgentSessionMemory,
): HookReply {
  const lines = [
    notInEffect(project.consentAsks) ?? [],
    inEffect(project.consentAsks) ?? [],
  ].flat();
  if (lines.length === 0) return {};
  const text = `Settings of this project that are ${lines.join(". Settings that are ")}.`;
  return toldOnce(project, event, session, { field: "toldSettings", id: text, text });
}

interface News {
  readonly field: "toldUnfinished" | "toldSettings";
  /** What is remembered of it. */
  readonly id: string;
  readonly text: string;
}

/** To the user, with the first hook of a session that they can hear. */
function toldOnce(
  project: Project,
  event: AgentEvent,
  session: AgentSessionMemory,
  { field, id, text }: News,
): HookReply {
  if (session[field] === id) return {};
  const { reply, isHeard } = tellUser(event, text);
  if (!isHeard) return reply;
  let isFirst = false;
  rememberSession(project.agentMemory, sessionKey(event), project.clock.now(), (before) => {
    isFirst = before[field] !== id;
    return { ...before, [field]: id };
  });
  return isFirst ? reply : {};
}

function unfinishedText(unfinished: Unfinished): string {
  if (unfinished.owner.mayBeAtWork) {
    return `In this project ${outOfSightText(unfinished)}; files may be half rolled back. ${outOfSightHint(unfinished)}`;
  }
  return (
    `A rollback of this project to ${unfinished.targetId || "a checkpoint"} was interrupted ${unfinished.since}, and files may be half rolled back. ` +
    "`waymark recover` finishes it or takes it back."
  );
}
