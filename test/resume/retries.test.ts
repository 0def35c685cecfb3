/** Where the attempts of a resumed phase start from. */
import { expect, it } from "vitest";
import { expectExit } from "../support/cli.ts";
import { withResuming } from "./resuming.ts";

it("[R95] every attempt goes back to where the phase was resumed: what a person did before that stays", async () => {
  await withResuming(async (resuming) => {
    const { repo } = resuming.project;
    await resuming.write([
      {
        name: "implement",
        run: "echo line >> code.txt",
        verify: "test -e ok",
        modifies: true,
        retries: 2,
      },
    ]);
    expectExit(await resuming.run(), 1);
    await repo.write("code.txt", "mended\n");
    await repo.write("mine.txt", "mine\n");
    await repo.git("add", "mine.txt");
    await repo.git("commit", "-qm", "of a person");
    await repo.write("later.txt", "later\n");
    const head = await repo.git("rev-parse", "HEAD");
    expectExit(await resuming.resume("--accept-changes"), 1);
    expect(await repo.git("rev-parse", "HEAD")).toBe(head);
    expect((await repo.read("later.txt")).toString()).toBe("later\n");
    expect((await repo.read("code.txt")).toString()).toBe("mended\nline\n");
  });
});

it("[R95] also where the settings want no checkpoint before the phase", async () => {
  await withResuming(async (resuming) => {
    const { repo } = resuming.project;
    await resuming.write([{ name: "docs", run: "true", verify: "test -e ok", retries: 1 }]);
    expectExit(await resuming.run(), 1);
    await repo.write("fix.txt", "fix\n");
    await repo.git("add", "fix.txt");
    await repo.git("commit", "-qm", "of a person");
    const head = await repo.git("rev-parse", "HEAD");
    expectExit(await resuming.resume("--accept-changes"), 1);
    expect(await repo.git("rev-parse", "HEAD")).toBe(head);
  });
});

it("[R95] a phase that was stopped in its second attempt is taken back whole", async () => {
  await withResuming(async (resuming) => {
    const { repo } = resuming.project;
    const half = "echo half-$WAYMARK_ATTEMPT >> half.txt";
    await resuming.write([
      {
        name: "implement",
        nodes: [
          {
            name: "n",
            run: `${half}; [ $WAYMARK_ATTEMPT != 2 ] || { kill -9 $PPID; sleep 60; }`,
            retries: 0,
            rerun: "always",
          },
        ],
        verify: "false",
        modifies: true,
        retries: 1,
        on_fail: "rollback",
      },
    ]);
    await resuming.runKilled();
    expectExit(await resuming.resume("--accept-changes"), 1);
    expect(await repo.exists("half.txt")).toBe(false);
  });
});
