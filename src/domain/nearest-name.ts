/** The known name that somebody probably meant. */

/** More different than this and it is another word, not a slip. */
const MOST_EDITS = 3;

export function nearestName(name: string, known: readonly string[]): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || edits < best.edits) best = { name: candidate, edits };
  }
  if (best === undefined) return undefined;
  const allowed = Math.min(MOST_EDITS, Math.floor(Math.max(name.length, best.name.length) / 3));
  return best.edits <= allowed ? best.name : undefined;
}

/** Several, the closest first; none that differs in more than a third of its letters. */
export function nearestNames(name: string, known: readonly string[], most = 3): string[] {
  return known
    .map((candidate) => ({
      candidate,
      edits: editsBetween(name.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ candidate, edits }) => edits <= Math.max(name.length, candidate.length) / 3)
    .toSorted((left, right) => left.edits - right.edits)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** A name that was cut short is closer than its length says: `max_size` for `max_size_mb`. */
function distance(name: string, candidate: string): number {
  const isBeginning = name.length >= MOST_EDITS && candidate.startsWith(name);
  return Math.min(editsBetween(name, candidate), isBeginning ? 1 : Number.POSITIVE_INFINITY);
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editsBetween(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      let least = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwap)
        least = Math.min(least, (beforeLast[column - 2] ?? 0) + 1);
      current.push(least);
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}
