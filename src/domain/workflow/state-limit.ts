/** How large the state of a workflow may become: it is part of the session document, which is written with every step. */

const MOST_BYTES = 1_048_576;

/**
 * What is wrong with the state that a node left; undefined: nothing. `merged` has that of the other nodes of its batch, too.
 * Nobody is blamed for what was there: a state that was too large before may stay so, and become smaller.
 */
export function stateProblem(base: unknown, own: unknown, merged: unknown): string | undefined {
  const before = JSON.stringify(base);
  if (JSON.stringify(own) === before) return undefined;
  const most = Math.max(MOST_BYTES, bytesOf(base));
  if (bytesOf(own) > most) return "it is larger than 1 MiB";
  if (bytesOf(merged) > most) {
    return "together with the state of the other nodes in the batch it is larger than 1 MiB";
  }
  return undefined;
}

/** As JSON without spaces: how a node writes it down makes no difference. */
function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
