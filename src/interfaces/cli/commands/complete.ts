/**
 * `waymark complete -- WORDS`: what the completion scripts ask at every press of the key.
 *
 * The first line says what is wanted: `words` (one on each line that follows, a tab, and a text about it), `files`,
 * `folders` or `commands`, which shells know better. Nothing that goes wrong here is worth a line in the user's prompt.
 */
import { resolve } from "node:path";
import { openGitProject } from "../../../app.ts";
import type { Project } from "../../../operations/project.ts";
import { selectorNames, sessionNames } from "../../../operations/selector-names.ts";
import type { Completes, Context } from "../command-spec.ts";
import { COMMANDS, FAMILIES } from "../command-table.ts";
import {
  candidateLines,
  checkpointCandidates,
  commandCandidates,
  familyCandidates,
  optionCandidates,
  sessionCandidates,
  wordCandidates,
  type Candidate,
} from "../completion/candidates.ts";
import { completionPoint, type CompletionPoint } from "../completion/completion-point.ts";
import { GLOBAL_OPTIONS } from "../global-options.ts";
import { schemaNames } from "../schema-names.ts";

const LEFT_TO_THE_SHELL: Readonly<Record<string, string>> = {
  file: "files",
  folder: "folders",
  command: "commands",
};

export async function run(context: Context): Promise<void> {
  const [words] = context.args as [string[]];
  const point = completionPoint(words, { commands: COMMANDS, globals: GLOBAL_OPTIONS });
  const { wants } = point;
  const mode =
    wants.kind === "value" && typeof wants.completes === "string"
      ? (LEFT_TO_THE_SHELL[wants.completes] ?? "words")
      : "words";
  const lines =
    mode === "words" ? candidateLines(await candidates(context, point), point.prefix) : [];
  process.stdout.write([mode, ...lines, ""].join("\n"));
}

async function candidates(context: Context, point: CompletionPoint): Promise<Candidate[]> {
  const { wants } = point;
  switch (wants.kind) {
    case "command":
      return wants.family === undefined
        ? commandCandidates(COMMANDS, FAMILIES)
        : familyCandidates(COMMANDS, wants.family);
    case "option":
      return optionCandidates(wants.options);
    case "value":
      try {
        const own = wants.orCommandOf ?? "";
        return [
          ...familyCandidates(COMMANDS, own),
          ...(await values(context, point, wants.completes)),
        ];
      } catch {
        return [];
      }
  }
}

async function values(
  context: Context,
  point: CompletionPoint,
  completes: Completes | undefined,
): Promise<Candidate[]> {
  switch (completes) {
    case "checkpoint":
      return checkpointCandidates(
        await inProject(context, point, (project) => selectorNames(project, point.sessionId)),
        point.typed,
        new Date(),
      );
    case "session":
      return sessionCandidates(await inProject(context, point, sessionNames));
    case "schema":
      return wordCandidates(schemaNames());
    case "setting": {
      const { ALL_KEYS, SECTIONS } = await import("../../../domain/config-keys.ts");
      return wordCandidates([...Object.keys(SECTIONS), ...ALL_KEYS.map((key) => key.path)]);
    }
    case "file":
    case "folder":
    case "command":
    case undefined:
      return [];
    default:
      return wordCandidates(completes);
  }
}

/** In the folder that the command line names, not in that of this process. */
async function inProject<Names>(
  context: Context,
  point: CompletionPoint,
  look: (project: Project) => Promise<Names>,
): Promise<Names> {
  const project = await openGitProject({
    directory: resolve(context.directory, point.directory ?? "."),
    looksOnly: true,
  });
  try {
    return await look(project);
  } finally {
    project.close();
  }
}
