/** Who decides while a workflow runs: breakpoints, other terminals, checkpoints that fail, a session that is lost. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ControlCommand } from "../../src/domain/workflow/control.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { Project } from "../../src/operations/project.ts";
import type { RunResult } from "../../src/operations/run/run-workflow.ts";
import { startWorkflow } from "../../src/operations/run/start-workflow.ts";
import { askOwner } from "../../src/operations/session-request.ts";
import { withRunning, type Running } from "./running.ts";

const THREE = [
  { name: "one", run: "touch one", breakpoint: true },
  { name: "two", run: "touch two" },
  { name: "three", run: "touch three" },
];

const answering = (...answers: readonly ControlCommand[]) => {
  const left = [...answers];
  return { atBreakpoint: () => Promise.resolve(left.shift()) };
};

const phaseStatuses = async (running: Running, { sessionId }: RunResult): Promise<string[]> =>
  ((await running.session(sessionId)).workflow?.phases ?? []).map(({ status }) => status);

/** Asks as another terminal does, when the file is there. */
async function asks(running: Running, file: string, command: string): Promise<void> {
  while (!(await running.rules.repo.exists(file))) await sleep(20);
  const id = running.events[0]?.session_id ?? "";
  await askOwner(running.project, id, command);
}

const UNTIL_TOLD = "until test -e ../told; do sleep 0.05; done";

/** Lets the node go when requests were answered so many times. */
async function tells(
  running: Running,
  event: "request_obeyed" | "request_refused",
  times: number,
): Promise<void> {
  while (running.of(event).length < times) await sleep(20);
  await running.rules.repo.write("../told", "");
}

describe("a breakpoint", () => {
  it("pauses where nobody answers, and is behind the session then", async () => {
    await withRunning(async (running) => {
      const result = await running.run(THREE);
      expect(result).toMatchObject({ status: "paused", exitCode: 5 });
      expect(result.resumeCommand).toBe(`waymark resume ${result.sessionId}`);
      expect(await phaseStatuses(running, result)).toEqual(["completed", "pending", "pending"]);
      expect((await running.session(result.sessionId)).lease?.holder).toBeNull();
    });
  });

  it.each<[string, ControlCommand[], string[], string]>([
    ["goes on", [{ kind: "continue" }], ["completed", "completed", "completed"], "completed"],
    [
      "leaves out the next phase",
      [{ kind: "skip" }],
      ["completed", "skipped", "completed"],
      "completed",
    ],
    [
      "does not skip back, and asks again",
      [
        { kind: "skip_to", step: 1 },
        { kind: "skip_to", step: 3 },
      ],
      ["completed", "skipped", "completed"],
      "completed",
    ],
    ["pauses", [{ kind: "pause" }], ["completed", "pending", "pending"], "paused"],
    ["aborts", [{ kind: "abort" }], ["completed", "pending", "pending"], "interrupted"],
    [
      "rolls back and waits there",
      [{ kind: "rollback", selector: "latest~1" }],
      ["running", "pending", "pending"],
      "paused",
    ],
  ])("%s as the observer says", async (_, answers, statuses, status) => {
    await withRunning(async (running) => {
      const result = await running.run(THREE, { observer: answering(...answers) });
      expect(result.status).toBe(status);
      expect(await phaseStatuses(running, result)).toEqual(statuses);
    });
  });
});

describe("another terminal", () => {
  const SLOW = [
    { name: "one", run: "touch begun; sleep 60; touch ended" },
    { name: "two", run: "touch two" },
  ];

  it("pauses: what runs comes to its end, and nothing more is begun", async () => {
    await withRunning(async (running) => {
      const patient = [{ name: "one", run: `touch begun; ${UNTIL_TOLD}; touch ended` }, THREE[1]];
      const asking = async (): Promise<void> => {
        await asks(running, "begun", "*pause");
        await tells(running, "request_obeyed", 1);
      };
      const [result] = await Promise.all([running.run(patient), asking()]);
      expect(result).toMatchObject({ status: "paused", exitCode: 5 });
      expect(await running.rules.repo.exists("ended")).toBe(true);
      expect(await running.rules.repo.exists("two")).toBe(false);
      const session = await running.session(result.sessionId);
      expect(session.requests).toEqual([]);
      expect(running.of("request_obeyed")).toMatchObject([{ command: "*pause" }]);
    });
  });

  it("leaves out the phase that runs", async () => {
    await withRunning(async (running) => {
      const [result] = await Promise.all([running.run(SLOW), asks(running, "begun", "*skip")]);
      expect(result.status).toBe("completed");
      expect(await phaseStatuses(running, result)).toEqual(["skipped", "completed"]);
      expect(await running.rules.repo.exists("ended")).toBe(false);
      expect(await running.rules.repo.exists("begun")).toBe(true);
      expect(running.of("phase_finished")).toMatchObject([
        { status: "skipped", reason: "what it changed so far stays in the project" },
        { status: "completed" },
      ]);
    });
  });

  it("rolls back: what runs is ended, and the session waits at the checkpoint", async () => {
    await withRunning(async (running) => {
      const [result] = await Promise.all([
        running.run(SLOW),
        asks(running, "begun", "*rollback:latest"),
      ]);
      expect(result).toMatchObject({ status: "paused", exitCode: 5 });
      expect(await running.rules.repo.exists("begun")).toBe(false);
      // The live view begins again from here.
      const statuses = running.of("rolled_back")[0]?.phases?.map(({ status }) => status);
      expect(statuses).toEqual(await phaseStatuses(running, result));
      expect(statuses).not.toContain("completed");
    });
  });

  it("is told when what it asks makes no sense", async () => {
    await withRunning(async (running) => {
      const asking = async (): Promise<void> => {
        await asks(running, "begun", "*nonsense");
        await asks(running, "begun", "*continue");
        await tells(running, "request_refused", 2);
      };
      const patient = [{ name: "one", run: `touch begun; ${UNTIL_TOLD}` }];
      const [result] = await Promise.all([running.run(patient), asking()]);
      expect(result.status).toBe("completed");
      expect(
        running
          .of("request_refused")
          .map(({ command }) => command)
          .toSorted(),
      ).toEqual(["*continue", "*nonsense"]);
    });
  });
});

/** A project in which checkpoints fail as long as a test wants. */
function failing(project: Project, fails: () => boolean): Project {
  return {
    ...project,
    checkpoints: new Proxy(project.checkpoints, {
      get: (store, name: keyof Project["checkpoints"]) => {
        if (name === "publish" && fails()) {
          return () =>
            Promise.reject(new Failure("disk_full", "no space is left", { hint: "Free some." }));
        }
        const method = store[name] as (...args: unknown[]) => unknown;
        return method.bind(store);
      },
    }),
  };
}

describe("a checkpoint that cannot be taken", () => {
  const run = async (running: Running, fails: () => boolean, more: object): Promise<RunResult> =>
    startWorkflow(failing(running.project, fails), {
      file: await running.workflowFile([{ name: "implement", run: "touch ran" }]),
      onEvent: (event) => running.events.push(event),
      ...more,
    });

  it("pauses the session before anything is run, and is loud", async () => {
    await withRunning(async (running) => {
      const result = await run(running, () => true, {});
      expect(result).toMatchObject({ status: "paused", exitCode: 1 });
      expect(result.reason).toContain(
        "no checkpoint could be created (before phase): no space is left",
      );
      expect(running.of("checkpoint_failed")).toMatchObject([
        { answer: "fail", hint: "Free some." },
      ]);
      expect(await running.rules.repo.exists("ran")).toBe(false);
    });
  });

  it("is taken after all when it is tried again", async () => {
    await withRunning(async (running) => {
      let left = 1;
      const result = await run(running, () => left-- > 0, { onCheckpointFailure: "retry" });
      expect(result.status).toBe("completed");
      expect(running.of("checkpoint_failed")).toMatchObject([{ answer: "retry" }]);
    });
  });

  it("is left out when the observer takes the risk", async () => {
    await withRunning(async (running) => {
      const observer = { checkpointFailed: () => Promise.resolve("skip" as const) };
      const result = await run(running, () => true, { observer });
      expect(result.status).toBe("completed");
      expect(await running.rules.repo.exists("ran")).toBe(true);
      expect(running.of("checkpoint_created")).toEqual([]);
    });
  });
});

describe("a session that is lost while it runs", () => {
  it("ends what it runs and writes nothing more", async () => {
    await withRunning(async (running) => {
      const steal = async (): Promise<void> => {
        while (!(await running.rules.repo.exists("begun"))) await sleep(20);
        const id = running.events[0]?.session_id ?? "";
        const stored = await running.project.sessions.read(id);
        if (stored?.document.lease === undefined) throw new Error("nobody runs it");
        const { document, version } = stored;
        const lease = { ...stored.document.lease, token: stored.document.lease.token + 1 };
        expect(
          await running.project.sessions.write({ ...document, lease }, version, "stolen"),
        ).toBe(true);
      };
      const line = "touch begun; sleep 30; touch ended";
      const [result] = await Promise.allSettled([
        running.run([{ name: "one", run: line }]),
        steal(),
      ]);
      expect(result).toMatchObject({ status: "rejected", reason: { code: "lease_lost" } });
      expect(await running.rules.repo.exists("ended")).toBe(false);
      const [last] = (
        await running.rules.repo.store(
          "log",
          "-1",
          "--format=%s",
          `refs/waymark/session/${running.events[0]?.session_id ?? ""}`,
        )
      ).split("\n");
      expect(last).toBe("stolen");
      await rm(join(running.root, "begun"));
    });
  });
});
