/** What became of a session, for people and as a document. */
import {
  sessionChangeDocument,
  type SessionChange,
} from "../../operations/documents/session-change-document.ts";
import type { Project } from "../../operations/project.ts";
import type { Output } from "./output.ts";

interface ToldChange extends SessionChange {
  /** For people. */
  readonly line: string;
}

export async function reportChange(
  project: Project,
  output: Output,
  { line, ...change }: ToldChange,
): Promise<void> {
  for (const warning of change.warnings ?? []) output.warn(warning);
  const document = output.options.json ? await sessionChangeDocument(project, change) : {};
  output.result("session_change", document, [line]);
}
