/** Ids of sessions: `{type}_{project}_{YYYYMMDD_HHMMSS}`, in UTC, made of what a ref may have. */

const LONGEST = 40;

export function sessionIdOf(workflowType: string, projectName: string, at: Date): string {
  const stamp = at.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "_");
  return [slug(workflowType, "workflow"), slug(projectName, "project"), stamp].join("_");
}

/** Letters, digits, `-` and `_`; never empty, never long. */
export function slug(text: string, otherwise: string): string {
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "_")
    .slice(0, LONGEST)
    .replaceAll(/^[_-]+|[_-]+$/g, "");
  return plain === "" ? otherwise : plain;
}
