/**
 * Schemas as clients list them. Inputs and outputs are checked by us: a refused input is an error document like any other refusal, and an
 * answer about something that was done is never held back. Of documents an outline is listed; `waymark schema KIND` prints all of one.
 */
import * as z from "zod";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { isRecord } from "../../domain/is-record.ts";
import { published as checkpointCreated } from "../cli/schemas/checkpoint-created.schema.ts";
import { published as checkpointList } from "../cli/schemas/checkpoint-list.schema.ts";
import { published as checkpoint } from "../cli/schemas/checkpoint.schema.ts";
import { published as diff } from "../cli/schemas/diff.schema.ts";
import { published as error } from "../cli/schemas/error.schema.ts";
import { published as guard } from "../cli/schemas/guard.schema.ts";
import { published as resumePlan } from "../cli/schemas/resume-plan.schema.ts";
import { published as rollbackPlan } from "../cli/schemas/rollback-plan.schema.ts";
import { published as rollback } from "../cli/schemas/rollback.schema.ts";
import { published as sessionChange } from "../cli/schemas/session-change.schema.ts";
import { published as sessionList } from "../cli/schemas/session-list.schema.ts";
import { published as session } from "../cli/schemas/session.schema.ts";
import { published as validation } from "../cli/schemas/validation.schema.ts";

const DOCUMENTS = [
  checkpointCreated,
  checkpointList,
  checkpoint,
  diff,
  error,
  guard,
  resumePlan,
  rollbackPlan,
  rollback,
  sessionChange,
  sessionList,
  session,
  validation,
];

type JsonSchema = Record<string, unknown>;

/** How deep an outline goes. */
const DEPTH = 2;

/** What tools add to documents of the command line. */
const ADDED: Readonly<Record<string, JsonSchema>> = {
  left_out: {
    type: "array",
    items: { type: "string" },
    description: "What was left out of this document, in words. Absent: it is complete.",
  },
};

const ADDED_TO: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  rollback_plan: {
    confirm_token: {
      type: "string",
      description:
        "Carries out exactly this plan when the tool is called again with the same arguments and this token, once, within ten minutes. Absent: a decision is needed first.",
    },
  },
  error: {
    plan_now: {
      type: "object",
      description:
        "The new plan, if the confirmed one was not carried out. It has its own confirm_token.",
    },
  },
  guard: {
    failed_output: {
      type: "string",
      description: "The last output of the failed step, without secrets.",
    },
  },
};

export function listedInput(schema: z.ZodType): StandardSchemaWithJSON {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" }) as JsonSchema;
  return listed(portable(json));
}

/** `true` in place of a schema that allows anything: some clients take an empty one for a mistake. */
function portable(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, portableAt(key, value)]),
  );
}

function portableAt(key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return key === "additionalProperties" && Object.keys(value).length === 0 ? true : portable(value);
}

/** A refusal is one of the choices: clients built on version 1 of the SDK check errors by this schema, too, and show nothing of one that does not match. */
export function listedOutput(kinds: readonly string[]): StandardSchemaWithJSON {
  const outlines = kinds.map((kind) => outlineOf(kind, DEPTH));
  return listed({ type: "object", anyOf: [...outlines, outlineOf("error", 1)] });
}

function outlineOf(kind: string, depth: number): JsonSchema {
  const found = DOCUMENTS.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`no schema is called ${kind}`);
  const json = z.toJSONSchema(found.schema, { io: "output", unrepresentable: "any" });
  const outline = outlined(json, depth);
  const properties = isRecord(outline["properties"]) ? outline["properties"] : {};
  return { ...outline, properties: { ...properties, ...ADDED_TO[kind], ...ADDED } };
}

const ANY_TYPES = ["object", "array", "string", "number", "boolean", "null"];
const KEPT = ["type", "const", "enum", "description"];

function outlined(schema: unknown, depth: number): JsonSchema {
  if (!isRecord(schema)) return {};
  const kept = Object.fromEntries(
    KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])),
  );
  const { type, properties, items, anyOf, required } = schema;
  // As a choice: not every client takes a list of types.
  if (Array.isArray(type)) {
    const types: readonly unknown[] = type;
    const { type: _, ...rest } = schema;
    const choices = types.map((one) => (one === "null" ? { type: one } : { ...rest, type: one }));
    return outlined({ description: schema["description"], anyOf: choices }, depth);
  }
  if (Array.isArray(anyOf)) {
    const choices: readonly unknown[] = anyOf;
    return { ...kept, anyOf: choices.map((choice) => outlined(choice, depth)) };
  }
  // What a workflow keeps may be anything.
  if (!("type" in schema || "const" in schema || "enum" in schema)) {
    return { ...kept, anyOf: ANY_TYPES.map((one) => ({ type: one })) };
  }
  if (depth === 0) return kept;
  return {
    ...kept,
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, outlined(inner, depth - 1)]),
          ),
        }
      : {}),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: outlined(items, depth - 1) }),
  };
}

function listed(json: JsonSchema): StandardSchemaWithJSON {
  return {
    "~standard": {
      version: 1,
      vendor: "waymark",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}
