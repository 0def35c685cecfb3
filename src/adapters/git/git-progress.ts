/** Turns what git says about its progress on stderr into steps. */

/** `Compressing objects:  45% (45/100)`, `Enumerating objects: 1234` */
const STEP = /([A-Z][a-z]+ (?:objects|deltas)): +(?:\d+% \((\d+)\/\d+\)|(\d+))/g;

export function progressReader(advance: (items: number) => void): (chunk: string) => void {
  const reached = new Map<string, number>();
  return (chunk) => {
    for (const [, label = "", share, count] of chunk.matchAll(STEP)) {
      const now = Number(share ?? count);
      const before = reached.get(label) ?? 0;
      if (now > before) advance(now - before);
      reached.set(label, now);
    }
  };
}

/** What else git said. */
export function withoutProgress(stderr: string): string {
  return stderr
    .split(/[\r\n]+/)
    .filter((line) => line.search(STEP) < 0)
    .join("\n")
    .trim();
}
