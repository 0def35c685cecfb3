/** What an agent hears with its hooks although it did not ask: rollbacks by others, and one that was interrupted. */
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import { tellUser } from "../../domain/agents/failure-words.ts";
import { shortLine } from "../../domain/agents/short-line.ts";
import type { CheckpointDocument, Exclusion } from "../../domain/checkpoint.ts";
import { isUsualReason } from "../../domain/listed-exclusions.ts";
import { secretText } from "../../domain/secrets/secret-text.ts";
import { takesContext } from "../../domain/agents/reply-text.ts";
import { newsFor, newsText, readNote, untold } from "../../domain/agents/rollback-news.ts";
import { inEffect, notInEffect } from "../../domain/config-consent.ts";
import { outOfSightHint, outOfSightText } from "../../domain/out-of-sight.ts";
import type { AgentSessionMemory } from "../../ports/agent-memory.ts";
import type { Unfinished } from "../../ports/restorer.ts";
import { rememberSession, sessionKey } from "./agent-session.ts";
import type { Project } from "../project.ts";
import { lookForUnfinished } from "../unfinished-rollback.ts";

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
  return newsText(newsFor(event.sessionId, due));
}

/** Hooks only say it: the next command that changes something, or `recover`, puts it right. */
export function unfinishedNews(
  project: Project,
  event: AgentEvent,
  session: AgentSessionMemory,
): HookReply {
  const unfinished = lookForUnfinished(project, () => undefined);
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

/** Files that no checkpoint of this session holds although nobody said so: each is named once, so that nobody relies on it. */
export function leftOutNews(
  project: Project,
  event: AgentEvent,
  { toldLeftOut }: AgentSessionMemory,
  checkpoint: CheckpointDocument | undefined,
): HookReply {
  const leftOut = (checkpoint?.coverage.excluded ?? []).filter(
    ({ reason }) => !isUsualReason(reason),
  );
  const told = new Set(toldLeftOut);
  const isNew = ({ path }: Exclusion): boolean => !told.has(path);
  if (told.size >= MOST_TOLD || !leftOut.some(isNew)) return {};
  const { reply, isHeard } = tellUser(event, leftOutText(leftOut.filter(isNew)));
  // Another moment will do: it is no failure.
  if (!isHeard) return {};
  rememberSession(project.agentMemory, sessionKey(event), project.clock.now(), (before) => ({
    ...before,
    toldLeftOut: [...new Set([...before.toldLeftOut, ...leftOut.map(({ path }) => path)])].slice(
      -MOST_TOLD,
    ),
  }));
  return reply;
}

const MOST_NAMED = 10;
/** Longer lists would be read with every tool call. */
const MOST_TOLD = 500;

function leftOutText(leftOut: readonly Exclusion[]): string {
  const named = leftOut.slice(0, MOST_NAMED).map(({ path, reason, detail }) => {
    const why =
      reason === "sensitive" || reason === "sensitive_content"
        ? secretText(detail === undefined ? { reason } : { reason, detail })
        : reason.replaceAll("_", " ");
    return `${shortLine(path, MOST_PATH)} (${why})`;
  });
  const more = leftOut.length - named.length;
  return (
    `Waymark does not protect these files, and no rollback restores them: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. ` +
    "`waymark show latest` lists all of them."
  );
}

const MOST_PATH = 200;

function unfinishedText(unfinished: Unfinished): string {
  if (unfinished.owner.mayBeAtWork) {
    return `In this project ${outOfSightText(unfinished)}; files may be half rolled back. ${outOfSightHint(unfinished)}`;
  }
  return (
    `A rollback of this project to ${unfinished.targetId || "a checkpoint"} was interrupted ${unfinished.since}, and files may be half rolled back. ` +
    "`waymark recover` finishes or reverts it."
  );
}
