/** Checkpoints and sessions as resources: the same documents as the tools answer with, to be read by their addresses. */
import { lookForUnfinished } from "../../operations/unfinished-rollback.ts";
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { Failure } from "../../domain/failure.ts";
import { describeSession } from "../../operations/describe-session.ts";
import { checkpointDocument } from "../../operations/documents/checkpoint-document.ts";
import { listDocument } from "../../operations/documents/list-document.ts";
import { listCheckpoints } from "../../operations/list-checkpoints.ts";
import { listSessions } from "../../operations/list-sessions.ts";
import type { Project } from "../../operations/project.ts";
import { showCheckpoint } from "../../operations/show-checkpoint.ts";
import { sendable, type Answer } from "./answer.ts";
import { withProject, type Caller } from "./called-tool.ts";
import { shownText } from "./shown-text.ts";
import { LOOKS } from "./tool.ts";

const TYPE = "application/json";
const MOST_LISTED = 50;
/** As the protocol has it. */
const MOST_COMPLETED = 100;
const MOST_TITLE = 200;
const MOST_MESSAGE = 1000;

export function addResources(caller: Caller): void {
  const { server } = caller;
  server.registerResource(
    "checkpoints",
    "waymark://checkpoints",
    {
      title: "Checkpoints",
      description: "The checkpoints of this work tree, newest first.",
      mimeType: TYPE,
    },
    (uri, context) => read(caller, context, uri, listed),
  );
  server.registerResource(
    "sessions",
    "waymark://sessions",
    {
      title: "Sessions",
      description: "The sessions of workflows in this project, latest first.",
      mimeType: TYPE,
    },
    (uri, context) => read(caller, context, uri, listedSessions),
  );
  server.registerResource(
    "checkpoint",
    new ResourceTemplate("waymark://checkpoint/{id}", {
      list: async (context) => ({
        resources: await look(caller, context, checkpointLinks),
      }),
      complete: { id: (begin) => completed(caller, begin, checkpointIds) },
    }),
    {
      title: "Checkpoint",
      description: "One checkpoint: what it contains and what it does not.",
      mimeType: TYPE,
    },
    (uri, { id }, context) => read(caller, context, uri, (project) => shown(project, oneOf(id))),
  );
  server.registerResource(
    "session",
    new ResourceTemplate("waymark://session/{id}", {
      list: async (context) => ({
        resources: await look(caller, context, sessionLinks),
      }),
      complete: { id: (begin) => completed(caller, begin, sessionIds) },
    }),
    {
      title: "Session",
      description: "One session of a workflow: phases, state, outputs, history.",
      mimeType: TYPE,
    },
    (uri, { id }, context) =>
      read(caller, context, uri, (project) => shownSession(project, oneOf(id))),
  );
}

type Document = Pick<Answer, "kind" | "document">;

async function listed(project: Project): Promise<Document> {
  const list = await listCheckpoints(project, { limit: MOST_LISTED });
  const unfinished = lookForUnfinished(project, () => undefined);
  return {
    kind: "checkpoint_list",
    document: listDocument(list, { summaries: new Map(), unfinished }),
  };
}

async function listedSessions(project: Project): Promise<Document> {
  const { sessions, archived, unreadable } = await listSessions(project, { limit: MOST_LISTED });
  const problems = unreadable.map(({ message, hint }) => ({ message, hint }));
  return {
    kind: "session_list",
    document: { sessions, archived_not_shown: archived, unreadable: problems },
  };
}

async function shown(project: Project, id: string): Promise<Document> {
  const checkpoint = await showCheckpoint(project, id, undefined);
  return { kind: "checkpoint", document: checkpointDocument(checkpoint) };
}

async function shownSession(project: Project, id: string): Promise<Document> {
  return { kind: "session", document: { session: await describeSession(project, id) } };
}

interface Link {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

function link(kind: "checkpoint" | "session", id: string, title: string): Link {
  return {
    uri: `waymark://${kind}/${encodeURIComponent(id)}`,
    name: shownText([id], MOST_TITLE),
    title: shownText([title], MOST_TITLE),
    mimeType: TYPE,
  };
}

async function checkpointLinks(project: Project): Promise<Link[]> {
  const { checkpoints } = await listCheckpoints(project, { limit: MOST_LISTED });
  return checkpoints.map((one) =>
    link(
      "checkpoint",
      one.id,
      one.kind === "ok"
        ? `${one.document.created_at} ${one.document.reason ?? one.document.trigger}`
        : one.kind,
    ),
  );
}

async function sessionLinks(project: Project): Promise<Link[]> {
  const { sessions } = await listSessions(project, { limit: MOST_LISTED });
  return sessions.map(({ id, status, description }) =>
    link("session", id, `${status} ${description ?? ""}`.trim()),
  );
}

async function checkpointIds(project: Project): Promise<string[]> {
  const { checkpoints } = await listCheckpoints(project, { all: true });
  return checkpoints.map(({ id }) => id);
}

async function sessionIds(project: Project): Promise<string[]> {
  const { sessions } = await listSessions(project, { all: true });
  return sessions.map(({ id }) => id);
}

async function completed(
  caller: Caller,
  begin: string,
  ids: (project: Project) => Promise<string[]>,
): Promise<string[]> {
  const all = await look(caller, undefined, ids);
  return all.filter((id) => id.startsWith(begin)).slice(0, MOST_COMPLETED);
}

/** A list is empty where there is no project: that is no reason to fail for a client that only looks around. */
async function look<Item>(
  caller: Caller,
  context: ServerContext | undefined,
  list: (project: Project) => Promise<Item[]>,
): Promise<Item[]> {
  try {
    return await opened(caller, context, list);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

async function read(
  caller: Caller,
  context: ServerContext,
  uri: URL,
  find: (project: Project) => Promise<Document>,
): Promise<ReadResourceResult> {
  try {
    const found = await opened(caller, context, find);
    const { document } = sendable({ ...found, lines: [] });
    return { contents: [{ uri: uri.href, mimeType: TYPE, text: JSON.stringify(document) }] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const message = shownText([`${error.code}: ${error.message}`], MOST_MESSAGE);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { uri: uri.href });
  }
}

function opened<Result>(
  caller: Caller,
  context: ServerContext | undefined,
  use: (project: Project) => Promise<Result>,
): Promise<Result> {
  return withProject(caller, context?.mcpReq, { ...LOOKS, notices: [] }, use);
}

/** A variable of an address may be a list; ours are not. */
function oneOf(value: string | string[] | undefined): string {
  const text = Array.isArray(value) ? value.join(",") : (value ?? "");
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
