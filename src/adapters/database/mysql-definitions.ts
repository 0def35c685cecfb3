/**
 * Definitions as `mysqldump` writes them, statement by statement: views, triggers, routines and events.
 *
 * A view comes three times, since views may need each other: as a placeholder, as the dropping of it, and as itself.
 */

/** Versions (`/*!50003 … *\/`) hide what a server is too old for, and are open to us. */
const SPACE = String.raw`(?:\s|/\*M?!\d*|/\*(?!M?!)[^]*?\*/|\*/|--\s.*|#.*)`;
const NAME = '(?:`(?:[^`]|``)*`|"(?:[^"]|"")*"|[\\w$\\u0080-\\uffff]+)';
const BETWEEN = [
  `OR${SPACE}+REPLACE`,
  "AGGREGATE",
  String.raw`ALGORITHM\s*=\s*\w+`,
  String.raw`DEFINER\s*=\s*${NAME}(?:@${NAME})?`,
  String.raw`SQL${SPACE}+SECURITY${SPACE}+\w+`,
].join("|");
const SUBJECT = new RegExp(
  `^${SPACE}*(?:CREATE|DROP)(?:${SPACE}+(?:${BETWEEN}))*${SPACE}+(TRIGGER|VIEW|TABLE|PROCEDURE|FUNCTION|EVENT|PACKAGE${SPACE}+BODY|PACKAGE)${SPACE}+(?:IF${SPACE}+(?:NOT${SPACE}+)?EXISTS${SPACE}+)?(?:${NAME}\\s*\\.\\s*)?(${NAME})`,
  "i",
);

/** Leaves out what makes or drops one of these, each of them as `kind name`. */
export function definitionsWithout(definitions: string, present: readonly string[]): string {
  const those = new Set(present.map(comparable));
  return statementsOf(definitions)
    .filter((statement) => {
      const subject = subjectOf(statement);
      return subject === undefined || !those.has(comparable(subject));
    })
    .join("");
}

/** With what ends them. Words for the client (`DELIMITER`) are one as well. */
function statementsOf(definitions: string): string[] {
  const statements: string[] = [];
  let end = ";";
  let statement = "";
  for (const line of definitions.split(/(?<=\n)/)) {
    const text = line.trimEnd();
    const delimiter = statement.trim() === "" ? /^DELIMITER (\S+)$/.exec(text)?.[1] : undefined;
    statement += line;
    end = delimiter ?? end;
    // In a name of a column of a view a line may end like a statement.
    const isInComment = end === ";" && statement.trimStart().startsWith("/*");
    const isOver = isInComment ? /\*\/ ?;$/.test(text) : text.endsWith(end);
    if (delimiter === undefined && !isOver) continue;
    statements.push(statement);
    statement = "";
  }
  return [...statements, statement];
}

function subjectOf(statement: string): string | undefined {
  const [, kind, name] = SUBJECT.exec(statement) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  const quote = /^[`"]/.exec(name)?.[0];
  const plain =
    quote === undefined ? name : name.slice(1, -1).replaceAll(`${quote}${quote}`, quote);
  const [first = "", ...more] = kind.toUpperCase().split(/\s+/);
  // A placeholder may be a table.
  return `${[first === "TABLE" ? "VIEW" : first, ...more].join(" ")} ${plain}`;
}

/** Tables, with them views, and triggers may differ by case alone. */
function comparable(subject: string): string {
  return /^(?:TRIGGER|VIEW) /.test(subject) ? subject : subject.toLowerCase();
}
