/** The tool `validate_checkpoints`. */
import { validationDocument, waysOn } from "../../../operations/documents/validation-document.ts";
import { validateCheckpoints } from "../../../operations/validate-checkpoints.ts";
import { schemaProblems } from "../../../domain/checkpoint-schema.ts";
import type { Answer } from "../answer.ts";
import { validateInput } from "../input-schemas.ts";
import { CHANGES, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof validateInput.parse>;

export const validateCheckpointsTool: Tool<Input> = {
  name: "validate_checkpoints",
  title: "Validate checkpoints",
  description:
    "Checks that every object of checkpoints is present and intact, and marks damaged ones. Does not change the project. Use it before you rely on an old " +
    "checkpoint, or after disk or git trouble. Reads everything, so it may take a while with many checkpoints.",
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  input: validateInput,
  kinds: ["validation"],
  opens: CHANGES,
  run: validate,
};

async function validate({ project }: Call, input: Input): Promise<Answer> {
  const validation = await validateCheckpoints(
    project,
    { selectors: input.checkpoints ?? [] },
    schemaProblems,
  );
  const { results, valid, invalid, unreadableSessions } = validation;
  const bad = results.filter(({ overall }) => !overall);
  return {
    kind: "validation",
    document: validationDocument(validation),
    lines: [
      `${valid} intact, ${invalid} damaged`,
      ...bad.map(({ id, problems }) => `${id}: ${problems[0] ?? "damaged"}`),
      ...unreadableSessions.map(({ message }) => message),
      ...waysOn(validation).map(({ command, text }) => `${command}: ${text}`),
    ],
  };
}
