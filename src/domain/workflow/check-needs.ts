/** Whether the nodes of a phase can wait for what they need: it is there, and nobody waits for themselves. */
import type { Place } from "../config-check.ts";
import { nearestName } from "../nearest-name.ts";
import type { FileProblems } from "./file-problems.ts";

export interface NeedsOfNode {
  readonly name: string;
  readonly needs: readonly (Place & { readonly name: string })[];
}

export function checkNeeds(
  phase: string,
  nodes: readonly NeedsOfNode[],
  problems: FileProblems,
): void {
  const known = nodes.map(({ name }) => name);
  for (const need of nodes.flatMap((node) => node.needs)) {
    if (known.includes(need.name)) continue;
    const nearest = nearestName(need.name, known);
    const meant =
      nearest === undefined
        ? `; needs takes nodes of the same phase: ${someOf(known)}`
        : `; did you mean ${nearest}?`;
    problems.add(need, `phase ${phase} has no node ${need.name}${meant}`);
  }
  for (const cycle of cyclesIn(nodes)) {
    const [first = "", second = first] = cycle;
    const node = nodes.find(({ name }) => name === first);
    const place = node?.needs.find(({ name }) => name === second);
    if (place === undefined) continue;
    const path = pathText([...cycle, first]);
    problems.add(
      place,
      cycle.length === 1
        ? `${first} needs itself: ${path}`
        : `these nodes wait for each other: ${path}`,
    );
  }
}

const MOST_NAMED = 10;

/** Of a long one its two ends. */
function pathText(names: readonly string[]): string {
  const more = names.length - 2 * MOST_NAMED;
  const shown =
    more > 1
      ? [...names.slice(0, MOST_NAMED), `… (${more} more) …`, ...names.slice(-MOST_NAMED)]
      : names;
  return shown.join(" -> ");
}

function someOf(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? " …" : "";
  return `${names.slice(0, MOST_NAMED).join(", ")}${more}`;
}

/** Each is a way along needs that ends where it began; no node is in two of them. */
function cyclesIn(nodes: readonly NeedsOfNode[]): string[][] {
  const open = new Map(nodes.map(({ name, needs }) => [name, needs.map((need) => need.name)]));
  const cycles: string[][] = [];
  for (;;) {
    removeFree(open);
    const [start] = open.keys();
    if (start === undefined) return cycles;
    const cycle = cycleFrom(start, open);
    for (const name of cycle) open.delete(name);
    cycles.push(cycle);
  }
}

/** Takes out those that can run, and then those that can run after them. */
function removeFree(open: Map<string, string[]>): void {
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [name, needs] of open) if (!needs.some((need) => open.has(need))) open.delete(name);
  }
}

/** Every open node needs an open one, so going from need to need comes round. */
function cycleFrom(start: string, open: ReadonlyMap<string, readonly string[]>): string[] {
  const way: string[] = [];
  for (let name = start; ;) {
    const at = way.indexOf(name);
    if (at !== -1) return way.slice(at);
    way.push(name);
    name = open.get(name)?.find((need) => open.has(need)) ?? start;
  }
}
