/** Whether something is in a list, for many questions: looking through the list for each would take the square of it. */
export function among(list: readonly string[]): (item: string) => boolean {
  const known = new Set(list);
  return (item) => known.has(item);
}
