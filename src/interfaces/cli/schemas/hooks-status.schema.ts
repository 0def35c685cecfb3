import * as z from "zod";
import { agentName, scopeName, wayName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const way = z.looseObject({
  scope: scopeName,
  via: wayName,
  path: z.string().describe("The file or the folder of scripts; for a plugin, as reported by the agent."),
  state: z
    .enum(["current", "older", "partly", "written", "changed", "unreadable"])
    .describe("partly: not for all events; written: added manually; changed: a file of Waymark was edited; unreadable: the agent does not read this file, or hooks do not fit into it."),
  problem: z.string().nullable(),
});

const status = z.looseObject({
  agent: agentName,
  found: z.looseObject({
    files: z.boolean().describe("The project has files of this agent."),
    command: z.boolean().describe("Its command is on the PATH."),
  }),
  installed: z.array(way),
  covered_by: z.string().nullable().describe("The file of another agent whose hooks it runs."),
  doubled: z.string().nullable().describe("Why each call runs the hooks more than once."),
  trust: z.enum(["trusted", "not_trusted", "off", "unknown"]),
  trust_reason: z.string().nullable(),
});

const failure = z.looseObject({ at: z.string(), agent: z.string(), code: z.string(), message: z.string() });

export const published = printedDocument(
  "hooks_status",
  "What `waymark hooks status --json` prints.",
  {
    agents: z.array(status),
    waymark_on_path: z.boolean(),
    calls: z.number().int().nonnegative().describe("Number of recent hook calls."),
    p50_ms: z.number().nullable().describe("Median duration."),
    failures: z.array(failure).describe("The last ones, oldest first."),
  },
);
