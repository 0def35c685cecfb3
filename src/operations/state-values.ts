/** The state and the outputs of a workflow, as values to compare. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import type { StatePart } from "../domain/parts.ts";
import { pickKeys } from "../domain/state-keys.ts";
import { heldParts } from "./part-work.ts";
import type { Project } from "./project.ts";

type Values = Record<string, unknown>;

/** What a checkpoint holds; empty when it holds none. */
export async function stateValues(project: Project, document: CheckpointDocument): Promise<Values> {
  const values: Values = {};
  const held = statePart(project, document);
  for (const { name, format } of held?.part.documents ?? []) {
    if (format !== null) values[name] = parse(await held?.read(`${name}.json`));
  }
  return withWorkflow(values);
}

/** The same documents as they are now. */
export async function stateNow(project: Project, document: CheckpointDocument): Promise<Values> {
  const held = statePart(project, document);
  if (held === undefined) return {};
  const keeper = await project.parts.keeper("state_snapshot", document.session_id);
  const now = await keeper.captureLike(held);
  try {
    const values: Values = {};
    for (const { name } of held.part.documents) {
      const content = now.entries.get(`${name}.json`);
      if (content?.kind !== "bytes") continue;
      const value = parse(content.bytes);
      const { keys } = held.part;
      values[name] = keys === null || name !== "state" ? value : pickKeys(value, keys);
    }
    return withWorkflow(values);
  } finally {
    now.discard();
  }
}

/** The state and the outputs that the workflow keeps itself, where none were saved from outside. */
function withWorkflow({ workflow, ...values }: Values): Values {
  if (workflow === undefined) return values;
  const { state, outputs } = workflow as Values;
  return {
    ...(state === undefined ? {} : { state }),
    ...(outputs === undefined ? {} : { outputs }),
    ...values,
    workflow,
  };
}

function statePart(
  project: Project,
  document: CheckpointDocument,
): HeldPart<StatePart> | undefined {
  return heldParts(project, document).find(isState);
}

function isState(held: HeldPart): held is HeldPart<StatePart> {
  return held.part.type === "state_snapshot";
}

function parse(bytes: Buffer | undefined): unknown {
  return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as unknown);
}
