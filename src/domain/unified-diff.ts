/** A unified diff of two small texts, as `diff -u` prints it. */
const CONTEXT = 3;
/** Beyond this many lines on one side the changed part is shown as replaced. */
const MOST_COMPARED = 2000;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Empty when they are equal. `null`: there is no such file. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string[] {
  if (before === after) return [];
  const lines = compared(linesOf(before), linesOf(after));
  return [
    before === null ? "--- /dev/null" : `--- a/${path}`,
    after === null ? "+++ /dev/null" : `+++ b/${path}`,
    ...hunks(lines),
  ];
}

/** A line that does not end says so, as it does in diffs. */
function linesOf(text: string | null): string[] {
  if (text === null || text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

function compared(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const same = (text: string): Line => ({ mark: " ", text });
  return [
    ...before.slice(0, head).map(same),
    ...changedPart(
      before.slice(head, before.length - tail),
      after.slice(head, after.length - tail),
    ),
    ...before.slice(before.length - tail).map(same),
  ];
}

/** By the longest common subsequence. */
function changedPart(before: readonly string[], after: readonly string[]): Line[] {
  const out = (text: string): Line => ({ mark: "-", text });
  const added = (text: string): Line => ({ mark: "+", text });
  if (Math.max(before.length, after.length) > MOST_COMPARED) {
    return [...before.map(out), ...after.map(added)];
  }
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [left, right] = [before[row], after[column]];
    if (left !== undefined && left === right) {
      lines.push({ mark: " ", text: left });
      row += 1;
      column += 1;
    } else if (
      left !== undefined &&
      (right === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      lines.push(out(left));
      row += 1;
    } else {
      lines.push(added(right ?? ""));
      column += 1;
    }
  }
  return lines;
}

function hunks(lines: readonly Line[]): string[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== " "),
  );
  const printed: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let at = 0, stop = 0; at < lines.length; at = stop) {
    const other = isNear.findIndex((near, index) => index > at && near !== isNear[at]);
    stop = other < 0 ? lines.length : other;
    const part = lines.slice(at, stop);
    const olds = part.filter(({ mark }) => mark !== "+").length;
    const news = part.filter(({ mark }) => mark !== "-").length;
    if (isNear[at] === true) {
      printed.push(`@@ -${place(oldLine, olds)} +${place(newLine, news)} @@`);
      printed.push(...part.map(({ mark, text }) => mark + text));
    }
    oldLine += olds;
    newLine += news;
  }
  return printed;
}

function place(line: number, count: number): string {
  if (count === 1) return String(line);
  return `${count === 0 ? line - 1 : line},${count}`;
}
