/** The JSON Schema of a workflow file, for editors. schemas/workflow.json is made from it. */
import {
  NODE_KEYS,
  NODES,
  ONE_COMMAND_KEYS,
  PHASE_KEYS,
  PHASES,
  REQUIRED,
  WORKFLOW_KEYS,
  type FileKey,
  type ListKey,
} from "./file-keys.ts";
import type { JsonSchema } from "./value-kinds.ts";

type Keys = Readonly<Record<string, FileKey>>;

export function workflowJsonSchema(): JsonSchema {
  const node = mapSchema(NODE_KEYS);
  const phase = mapSchema(PHASE_KEYS, [NODES, node]);
  const oneCommand = ONE_COMMAND_KEYS.map(({ name }) => ({ required: [name] }));
  const phases = {
    ...phase,
    oneOf: [
      { required: [PHASE_KEYS.run.name] },
      { required: [NODES.name], not: { anyOf: oneCommand } },
    ],
  };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "workflow",
    description: "A workflow file for `waymark run`, for editors.",
    ...mapSchema(WORKFLOW_KEYS, [PHASES, phases]),
  };
}

function mapSchema(keys: Keys, list?: readonly [ListKey, JsonSchema]): JsonSchema {
  const all = Object.values(keys);
  const properties = Object.fromEntries(
    all.map(({ name, kind, text }) => [name, { ...kind.schema, description: text }]),
  );
  const required = all.filter(({ fallback }) => fallback === REQUIRED).map(({ name }) => name);
  if (list === undefined) {
    return { type: "object", properties, required, additionalProperties: false };
  }
  const [{ name, text, most, fallback }, items] = list;
  return {
    type: "object",
    properties: {
      ...properties,
      [name]: { type: "array", description: text, minItems: 1, maxItems: most, items },
    },
    required: fallback === REQUIRED ? [...required, name] : required,
    additionalProperties: false,
  };
}
