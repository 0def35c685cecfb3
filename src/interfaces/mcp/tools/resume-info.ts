/** The tool `resume_info`. */
import { dryResumeDocument } from "../../../operations/documents/resume-document.ts";
import { describeResume } from "../../../operations/resume/describe-resume.ts";
import { findResumable } from "../../../operations/resume/find-resumable.ts";
import { planSession } from "../../../operations/resume/plan-resume.ts";
import { refusalOf } from "../../../operations/resume/refuse-resume.ts";
import type { Answer } from "../answer.ts";
import { given } from "../given.ts";
import { resumeInfoInput } from "../input-schemas.ts";
import { inToolWords } from "../tool-words.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof resumeInfoInput.parse>;

export const resumeInfoTool: Tool<Input> = {
  name: "resume_info",
  title: "Resume information",
  description:
    "Tells whether an interrupted session can be resumed and what that would do: which nodes are done, which would run (again) and why, what changed since, " +
    "and what has to be decided first. Changes and runs nothing. To resume, a person or script runs `waymark resume`.",
  // The issue of a session is looked up with `gh`.
  annotations: { ...READ_ONLY, openWorldHint: true },
  input: resumeInfoInput,
  kinds: ["resume_plan"],
  opens: LOOKS,
  run: look,
};

async function look({ project, host }: Call, input: Input): Promise<Answer> {
  const named = input.session ?? (input.issue === undefined ? host.sessionId : undefined);
  const session = await findResumable(project, given({ session: named, issue: input.issue }));
  const plan = await planSession(project, session, given({ from: input.from }));
  const description = await describeResume(project, plan);
  const refusal = refusalOf(project, plan, {});
  const { nodes, findings, next_phase } = description;
  return {
    kind: "resume_plan",
    document: dryResumeDocument(description),
    lines: [
      `${session.id} (${session.status}): ${description.action}`,
      ...findings.map(({ message }) => message),
      ...nodes.map((node) => JSON.stringify(node)),
      ...(next_phase === null ? [] : [`next phase: ${JSON.stringify(next_phase)}`]),
      refusal === undefined
        ? `\`waymark resume ${session.id}\` continues it.`
        : `${refusal.message}. ${inToolWords(refusal.hint)}`,
    ],
  };
}
