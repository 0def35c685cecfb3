/** What nodes leave behind: state, outputs, metrics, what agents said; without secrets. */
import { describe, expect, it } from "vitest";
import { TOKEN } from "../secrets/fake-secrets.ts";
import { untilRecorded } from "../support/until-recorded.ts";
import { withRunning } from "./running.ts";

const setState = (value: unknown): string => `echo '${JSON.stringify(value)}' > "$WAYMARK_STATE"`;

describe("what nodes leave", () => {
  it("hands the state on from node to node, and into the session", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { name: "plan", run: setState({ plan: [1] }) },
        {
          name: "implement",
          nodes: [
            { name: "api", run: setState({ plan: [1], api: true, both: "A" }) },
            { name: "ui", run: setState({ plan: [1], ui: true, both: "B" }) },
            { name: "wire", run: "cat $WAYMARK_STATE > seen.json", needs: ["api", "ui"] },
          ],
        },
      ]);
      expect(result.status).toBe("completed");
      const merged = { plan: [1], api: true, ui: true, both: "B" };
      expect(JSON.parse(await running.read("seen.json"))).toEqual(merged);
      const { workflow } = await running.session(result.sessionId);
      expect(workflow?.state).toEqual(merged);
      expect(running.of("state_conflict")).toMatchObject([
        { key: "both", nodes: ["api", "ui"], winner: "ui" },
      ]);
      expect(workflow?.["state_conflicts"]).toMatchObject([
        {
          key: "both",
          values: [
            { node: "api", value: "A" },
            { node: "ui", value: "B" },
          ],
        },
      ]);
    });
  });

  it("blames the node that makes the state too large, and no other", async () => {
    await withRunning(async (running) => {
      const large = (key: string): string =>
        `node -e 'process.stdout.write(JSON.stringify({${key}: "x".repeat(600000)}, null, 2))' > "$WAYMARK_STATE"`;
      const result = await running.run([
        {
          name: "plan",
          on_fail: "continue",
          nodes: [
            { name: "first", run: large("a") },
            { name: "second", run: `${untilRecorded("plan/first completed")}; ${large("b")}` },
          ],
        },
        { name: "after", run: "echo after > after.txt" },
      ]);
      expect(result).toMatchObject({ status: "completed", passedOver: ["plan"] });
      const { workflow } = await running.session(result.sessionId);
      expect(workflow?.execution_graph?.nodes).toMatchObject({
        "plan/first": { status: "completed" },
        "plan/second": {
          status: "failed",
          error: expect.stringContaining("together with the state of the other nodes") as unknown,
        },
      });
      expect(Object.keys(workflow?.state as object)).toEqual(["a"]);
      expect(await running.read("after.txt")).toBe("after\n");
    });
  });

  it("collects outputs, results, metrics, and what agents said last", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        {
          name: "plan",
          nodes: [
            {
              name: "spec",
              run: "echo '{\"files\": 3}'; echo spec > spec.md; echo '[1]' > list.json",
              result: "json",
              agent: "planner",
              outputs: {
                spec: "spec.md",
                list: { file: "list.json", json: true },
                said: { stdout: "text" },
              },
            },
          ],
          metrics: "echo '{\"coverage\": 81.5}'",
        },
      ]);
      expect(result.status).toBe("completed");
      const { workflow } = await running.session(result.sessionId);
      expect(workflow?.outputs).toMatchObject({
        spec: {
          path: "spec.md",
          size: 5,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        },
        list: { value: [1] },
        said: '{"files": 3}',
      });
      expect(workflow?.execution_graph?.nodes["plan/spec"]?.result).toEqual({ files: 3 });
      expect(workflow?.agent_outputs["planner"]?.["spec"]).toMatchObject({
        output_summary: '{"files": 3}',
        output_location: "spec.md",
      });
      expect(workflow?.metrics).toEqual({ coverage: 81.5 });
      const post = (await running.checkpoints(result.sessionId)).find(
        ({ trigger }) => trigger === "post_phase",
      );
      expect(post?.metrics).toEqual({ coverage: 81.5 });
    });
  });

  it("warns about metrics that cannot be read, and takes nobody's work back for it", async () => {
    await withRunning(async (running) => {
      const result = await running.run([{ name: "plan", run: "true", metrics: "echo no json" }]);
      expect(result.status).toBe("completed");
      expect(
        running
          .of("warning")
          .map(({ message }) => message)
          .join(),
      ).toContain("no metrics of plan");
    });
  });

  it("goes on when a node deletes its log and its state file while it writes", async () => {
    await withRunning(async (running) => {
      const result = await running.run([
        { name: "plan", run: setState({ plan: 1 }) },
        {
          name: "clean",
          run: "rm -rf .git/waymark/runs/*; head -c 20000000 /dev/zero | tr '\\0' x; echo done > done.txt",
        },
      ]);
      expect(result).toMatchObject({ status: "completed", reason: null });
      expect(await running.read("done.txt")).toBe("done\n");
      expect((await running.session(result.sessionId)).workflow?.state).toEqual({ plan: 1 });
      const warnings = running.of("warning").map(({ message }) => message);
      expect(warnings).toEqual([
        expect.stringMatching(
          /\/02-clean\.1\.log does not contain the full output of clean: it was deleted/,
        ),
        expect.stringMatching(/^clean deleted its state file/),
      ]);
    });
  });

  it("writes no secret down", async () => {
    await withRunning(async (running) => {
      await running.write("../token", TOKEN);
      const result = await running.run([
        {
          name: "plan",
          nodes: [
            {
              name: "leaky",
              run: 't="$(cat ../token)"; echo "token $t"; printf \'{"token": "%s"}\' "$t" | tee out.json > "$WAYMARK_STATE"',
              agent: "a",
              outputs: { out: { file: "out.json", json: true } },
            },
          ],
        },
      ]);
      expect(result.status).toBe("completed");
      const journal = await running.rules.repo.git("log", "--all", "--format=%B");
      expect(journal).not.toContain(TOKEN);
      expect(JSON.stringify([result, running.events])).not.toContain(TOKEN);
      expect(
        running
          .of("warning")
          .map(({ message }) => message)
          .join(),
      ).toContain("looks like a secret");
    });
  });
});
