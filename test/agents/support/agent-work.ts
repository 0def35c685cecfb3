/** What an agent is told to do in most tests, and what the project and its checkpoints hold then. */
import type { AgentDriver } from "./agent-driver.ts";
import { type AgentProject, type TakenCheckpoint, withAgentProject } from "./agent-project.ts";
import type { ModelStep } from "./scripted-model.ts";

export const ORIGINAL = "first line\nsecond line\n";
export const EDITED = "first line, edited\nsecond line\n";
export const USERS = "kept, and changed by the user\n";

export interface Contents {
  readonly a: string;
  readonly b: string | undefined;
}

/** Everything that `work` leaves behind. */
export const DONE: Contents = { a: `${EDITED}by shell\n`, b: undefined };

/** A new file, a change of an old one, and a command that changes one and removes the other. */
export function work(driver: AgentDriver, project: AgentProject): readonly ModelStep[] {
  const { tools } = driver;
  const read = tools.read?.(project, "a.txt");
  return [
    { calls: [tools.write(project, "b.txt", "new\n")] },
    ...(read === undefined ? [] : [{ calls: [read] }]),
    { calls: [tools.edit(project, "a.txt", "first line", "first line, edited")] },
    { calls: [tools.shell("echo by shell >> a.txt; rm b.txt")] },
    { text: "Done." },
  ];
}

export async function contents(project: AgentProject): Promise<Contents> {
  const b = (await project.repo.exists("b.txt"))
    ? String(await project.repo.read("b.txt"))
    : undefined;
  return { a: String(await project.repo.read("a.txt")), b };
}

/** The first that holds exactly this, and the user's own change. */
export async function checkpointWith(
  taken: readonly TakenCheckpoint[],
  wanted: Contents,
): Promise<TakenCheckpoint> {
  const held: Contents[] = [];
  for (const checkpoint of taken) {
    const a = (await checkpoint.file("a.txt")) ?? "";
    held.push({ a, b: await checkpoint.file("b.txt") });
    const keep = await checkpoint.file("keep.txt");
    if (a === wanted.a && held.at(-1)?.b === wanted.b && keep === USERS) return checkpoint;
  }
  throw new Error(`no checkpoint has ${JSON.stringify(wanted)}; they have ${JSON.stringify(held)}`);
}

export async function withHooks(
  driver: AgentDriver,
  body: (project: AgentProject) => Promise<void>,
): Promise<void> {
  await withAgentProject(async (project) => {
    await driver.configure(project);
    await project.ok("hooks", "install", driver.name, "--via", "file");
    await body(project);
  });
}

/**
 * What the checkpoints hold, oldest first. Some agents write files of their own into the project while they work: what differs only in those counts once.
 * Throws where two checkpoints hold the same.
 */
export async function states(project: AgentProject): Promise<readonly Contents[]> {
  const taken = await project.checkpoints();
  const trees = await Promise.all(taken.map((checkpoint) => checkpoint.tree()));
  if (new Set(trees).size < trees.length) throw new Error("two checkpoints hold the same files");
  const held = await Promise.all(
    taken.map(async (checkpoint) => ({
      a: (await checkpoint.file("a.txt")) ?? "",
      b: await checkpoint.file("b.txt"),
    })),
  );
  return held.filter(({ a, b }, at) => at === 0 || a !== held[at - 1]?.a || b !== held[at - 1]?.b);
}

/** One checkpoint for each state that `work` goes through. */
export const EACH_STATE: readonly Contents[] = [
  { a: ORIGINAL, b: undefined },
  { a: ORIGINAL, b: "new\n" },
  { a: EDITED, b: "new\n" },
  DONE,
];
