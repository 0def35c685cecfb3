/** `waymark validate` */
import { validationDocument, waysOn } from "../../../operations/documents/validation-document.ts";
import { validateCheckpoints, type Validation } from "../../../operations/validate-checkpoints.ts";
import { inObserverWords } from "../../../domain/workflow/observer-command.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { oneLine } from "../printable.ts";
import { firstLines } from "../first-lines.ts";
import { printedTable, type Column } from "../table.ts";

const INVALID = 4;
const MOST_PROBLEMS = 5;

type Result = Validation["results"][number];

export async function run(context: Context): Promise<number> {
  const { output, sessionId } = context;
  const [selectors] = context.args as [string[]];
  const project = await context.openProject();
  const { schemaProblems } = await import("../../../domain/checkpoint-schema.ts");
  const validation = await validateCheckpoints(
    project,
    { selectors, ...(sessionId === undefined ? {} : { sessionId }) },
    schemaProblems,
  );
  const asSaid = context.options["isObserver"] === true ? inObserverWords : (text: string) => text;
  const { results, valid, invalid, newer, unreadableSessions } = validation;
  output.result("validation", validationDocument(validation), [
    ...table(results, output),
    ...problemLines(results, output),
    ...withheldLines(results, output),
    ...unreadableSessions.map(({ message, hint }) => `${output.paint("red", message)}. ${hint}`),
    `${valid} intact, ${invalid} damaged${newer === 0 ? "" : `, ${newer} of a newer Waymark`}`,
    ...wayLines(validation, output, asSaid),
  ]);
  return invalid + newer + unreadableSessions.length === 0 ? 0 : INVALID;
}

function wayLines(
  validation: Validation,
  output: Output,
  asSaid: (command: string) => string,
): string[] {
  const ways = waysOn(validation).map(({ command, text }) => ({
    command: output.forReader(asSaid(command), process.stdout),
    text,
  }));
  const width = Math.max(0, ...ways.map(({ command }) => command.length));
  return ways.map(({ command, text }) => `  ${command.padEnd(width)}  ${text}`);
}

function table(results: readonly Result[], output: Output): string[] {
  if (results.length === 0) return [];
  const short = output.shortIds();
  const column = (title: string, pick: (result: Result) => boolean): Column<Result> => ({
    title,
    cell: (result) => (pick(result) ? "ok" : result.newer === true ? "?" : "BAD"),
    style: (result) => (pick(result) ? "green" : result.newer === true ? "yellow" : "red"),
  });
  return printedTable(
    output,
    [
      { title: "ID", cell: ({ id }) => short?.of(id) ?? id },
      column("FILE", ({ file }) => file),
      column("HASH", ({ hash }) => hash),
      column("GIT", ({ git }) => git),
      column("STATE", ({ state }) => state),
      column("OVERALL", ({ overall }) => overall),
    ],
    results,
  );
}

function problemLines(results: readonly Result[], output: Output): string[] {
  return results
    .filter(({ overall }) => !overall)
    .flatMap(({ id, problems, newer }) => [
      output.paint(newer === true ? "yellow" : "red", `${id}:`),
      ...firstLines(
        problems.map((problem) => `  ${problem}`),
        MOST_PROBLEMS,
      ),
    ]);
}

/** Of checkpoints that were taken elsewhere. */
function withheldLines(results: readonly Result[], output: Output): string[] {
  return results
    .filter(({ overall, withheld }) => overall && withheld.length > 0)
    .map(({ id, withheld }) => {
      const names = withheld.slice(0, MOST_PROBLEMS).map(oneLine).join(", ");
      const more = withheld.length > MOST_PROBLEMS ? ", …" : "";
      return output.paint("dim", `${id}: only where it was taken: ${names}${more}`);
    });
}
