/** The JSON Schema of waymark.yml, for editors. schemas/waymark-yml.json is made from it. */
import {
  AGENT_SECTION,
  ALL_KEYS,
  KEYS,
  SECTIONS,
  SHORTHANDS,
  type Key,
  type ValueKind,
} from "./config-keys.ts";

type Schema = Record<string, unknown>;

export function configJsonSchema(): Schema {
  const properties: Schema = {};
  for (const key of ALL_KEYS) if (!key.path.includes(".")) properties[key.path] = keySchema(key);
  for (const [section, description] of Object.entries(SECTIONS)) {
    properties[section] = sectionSchema(section, description);
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "waymark-yml",
    description: "The settings in waymark.yml, for editors.",
    type: "object",
    properties,
    additionalProperties: false,
  };
}

function sectionSchema(section: string, description: string): Schema {
  const properties: Schema = {};
  const prefix = `${section}.`;
  for (const key of ALL_KEYS) {
    if (key.path.startsWith(prefix)) properties[key.path.slice(prefix.length)] = keySchema(key);
  }
  for (const { path, keys, text } of SHORTHANDS) {
    const [first] = keys;
    if (!path.startsWith(prefix) || first === undefined) continue;
    properties[path.slice(prefix.length)] = {
      ...orNothing(kindSchema(first.kind)),
      description: text,
    };
  }
  const policy = kindSchema(KEYS.agentPolicy.kind);
  const others =
    section === AGENT_SECTION
      ? {
          anyOf: [
            orNothing(policy),
            { type: "object", properties: { policy }, additionalProperties: false },
          ],
        }
      : false;
  return {
    ...orNothing({ type: "object" }),
    description,
    properties,
    additionalProperties: others,
  };
}

function keySchema(key: Key): Schema {
  return { ...orNothing(kindSchema(key.kind)), description: key.text, default: key.fallback };
}

/** A key with nothing after it is as good as not there. */
function orNothing({ type, enum: words, ...rest }: Schema): Schema {
  return {
    ...(type === undefined ? {} : { type: [type, "null"].flat() }),
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
    ...rest,
  };
}

function kindSchema(kind: ValueKind): Schema {
  switch (kind.type) {
    case "boolean":
      return { type: "boolean" };
    case "integer":
      return { type: "integer", minimum: kind.min, maximum: 1_000_000_000 };
    case "duration":
      return {
        type: "string",
        pattern:
          kind.min === undefined
            ? "^(never|[0-9]{1,6}[smhdw])$"
            : "^(?!0+[smhdw])[0-9]{1,6}[smhdw]$",
      };
    case "word":
      return { enum: kind.words };
    case "switch":
      return { enum: [...kind.words, true, false] };
    case "names":
    case "patterns":
      return { type: "array", items: { type: "string", minLength: 1 } };
  }
}
