/** Branch names as people say them. */
export function shortBranch(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
