/**
 * Several real processes contend for one session, are killed, and are robbed while they live. `npm run test:chaos` does more steps
 * than the sample that runs with the other tests.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openGitProject } from "../../src/app.ts";
import { startSession } from "../../src/operations/start-session.ts";
import { withDirty } from "../spec/project.ts";
import { cliEnvironment } from "../support/cli.ts";

const STEPS = Number(process.env["CHAOS_STEPS"] ?? 16);
const WORKERS = Number(process.env["CHAOS_WORKERS"] ?? 3);
const script = fileURLToPath(new URL("chaos-worker.mjs", import.meta.url));

interface Step {
  readonly step: number;
  readonly token: number;
}

/** Begins another process in the place of one that was killed. Ends when all have seen the last step. */
async function contend(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  let kills = 0;
  const worker = async (number: number): Promise<void> => {
    for (let life = 0; ; life++) {
      const child = spawn(
        process.execPath,
        [script, ...args, String(number * 7919 + life * 104_729)],
        {
          env,
          stdio: ["ignore", "ignore", "pipe"],
        },
      );
      let said = "";
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
        child.on("close", (...end) => resolve(end));
      });
      if (code === 0) return;
      if (signal !== "SIGKILL") throw new Error(`a worker ended with ${code ?? signal}: ${said}`);
      kills++;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, number) => worker(number + 1)));
  return kills;
}

describe("a session that several processes want to run", () => {
  it(
    "[R90] records every step once, whoever is killed or robbed",
    async () => {
      await withDirty(async ({ repo }) => {
        const project = await openGitProject({ directory: repo.root });
        try {
          const { id } = await startSession(project, { workflowType: "chaos" });
          const log = join(repo.base, "chaos.log");
          const env = cliEnvironment(repo.env);
          const kills = await contend([repo.root, id, String(STEPS), log], env);
          const document = (await project.sessions.read(id))?.document;
          const steps = (document?.workflow?.outputs["steps"] ?? []) as Step[];
          const numbers = Array.from({ length: STEPS }, (_, at) => at + 1);
          expect(steps.map(({ step }) => step)).toEqual(numbers);
          const tokens = steps.map(({ token }) => token);
          expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
          const lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
          const recorded = lines.filter((line) => line.startsWith("recorded"));
          expect(new Set(recorded).size).toBe(recorded.length);
          const refused = lines.filter((line) => line === "refused").length;
          // Otherwise nothing was tried.
          expect(refused + kills).toBeGreaterThan(0);
          expect(await repo.git("fsck", "--no-dangling")).toBe("");
          expect(await repo.store("fsck", "--no-dangling")).toBe("");
          console.log(`${STEPS} steps, ${kills} kills, ${refused} stale writes refused`);
        } finally {
          project.close();
        }
      });
    },
    STEPS * 20_000,
  );
});
