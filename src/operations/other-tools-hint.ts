/** Says how sessions that another tool left in the project get here; empty when there are none. */
import { quoteForShell } from "../domain/shell-quote.ts";
import type { Project } from "./project.ts";

export async function otherToolsHint(project: Project): Promise<string> {
  const [found] = (await project.oldFormats()).lookIn(project.workTree.root);
  if (found === undefined) return "";
  const { format, path } = found;
  return `To import those of another tool: \`waymark import --from ${format} ${quoteForShell(path)}\`.`;
}
