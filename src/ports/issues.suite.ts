/** What everything that looks at issues has to do. Each adapter's test runs it. */
import { describe, expect, it } from "vitest";
import type { IssueAsk, IssueLook, Issues } from "./issues.ts";

export interface ServedIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly state: string;
}

export interface IssuesSubject {
  readonly issues: Issues;
  /** From now on issue 42 is this one; undefined: there is none. */
  serve(issue: ServedIssue | undefined): void;
  /** From now on nobody answers. */
  fallSilent(): void;
  close(): Promise<void>;
}

const AT = new Date("2026-11-16T10:00:00.000Z");
const ISSUE: ServedIssue = {
  title: "Login fails",
  body: 'First line\r\n\r\n日本語 🦊 "quoted" \\ <b>\n',
  labels: ["state:enrich", "bug"],
  assignees: ["ann", "bob"],
  state: "OPEN",
};
/** Made up, and put together here so that no search for secrets finds it in this file. */
const TOKEN = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

export function issuesSuite(make: () => Promise<IssuesSubject>): void {
  describe("the contract of issues", () => {
    const look = async (
      prepare: (subject: IssuesSubject) => void,
      ask: Partial<IssueAsk> = {},
      number = 42,
    ): Promise<IssueLook> => {
      const subject = await make();
      try {
        prepare(subject);
        const whole = { timeoutMs: 20_000, branch: "fix/login", at: AT, ...ask };
        return await subject.issues.snapshot(number, whole);
      } finally {
        await subject.close();
      }
    };

    it("brings everything that a snapshot has", async () => {
      const found = await look((subject) => subject.serve(ISSUE));
      expect(found).toMatchObject({
        kind: "taken",
        snapshot: { number: 42, ...ISSUE, branch: "fix/login", taken_at: AT.toISOString() },
      });
      expect(found.kind === "taken" && found.snapshot.body_cut).toBeUndefined();
    });

    it("takes an issue without a body, labels and assignees", async () => {
      const bare = { ...ISSUE, body: "", labels: [], assignees: [] };
      const found = await look((subject) => subject.serve(bare), { branch: null });
      expect(found).toMatchObject({ kind: "taken", snapshot: { ...bare, branch: null } });
    });

    it("[R83] stores no secrets, wherever in the issue they are", async () => {
      const leaky = {
        ...ISSUE,
        title: `use ${TOKEN}`,
        body: `line\n${TOKEN}\nend`,
        labels: [`key ${TOKEN}`],
      };
      const found = await look((subject) => subject.serve(leaky));
      expect(found.kind).toBe("taken");
      expect(JSON.stringify(found)).not.toContain(TOKEN);
      expect(found).toMatchObject({
        snapshot: { body: expect.stringMatching(/^line\n.*\nend$/) as unknown },
      });
    });

    it("cuts a long body between characters, and remembers all of it", async () => {
      const body = (end: string): string => `${"🦊".repeat(17_000)}${end}`;
      const cuts: unknown[] = [];
      for (const end of ["one", "two", "one"]) {
        const found = await look((subject) => subject.serve({ ...ISSUE, body: body(end) }));
        expect(found).toMatchObject({ kind: "taken", snapshot: { body: "🦊".repeat(16_384) } });
        cuts.push(found.kind === "taken" ? found.snapshot.body_cut : undefined);
      }
      expect(cuts[0]).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(cuts[1]).not.toBe(cuts[0]);
      expect(cuts[2]).toBe(cuts[0]);
    });

    it("[R83] says in words that there is no such issue", async () => {
      const found = await look((subject) => subject.serve(undefined));
      expect(found).toEqual({
        kind: "unavailable",
        why: "there is no issue #42",
        hasNoProgram: false,
      });
    });

    it.each([0, -1, 1.5, Number.NaN, 2 ** 60])(
      "[R83] says that %d is no number",
      async (number) => {
        const found = await look((subject) => subject.serve(ISSUE), {}, number);
        expect(found).toMatchObject({
          kind: "unavailable",
          why: expect.stringContaining("is not an issue number") as unknown,
        });
      },
    );

    it("[R83] gives up when its time is over", async () => {
      const found = await look((subject) => subject.fallSilent(), { timeoutMs: 300 });
      expect(found).toMatchObject({
        kind: "unavailable",
        why: expect.stringContaining("did not answer within 0.3 s") as unknown,
      });
    });

    it("[R83] gives up when nobody waits any more", async () => {
      const stop = new AbortController();
      const found = look(
        (subject) => {
          subject.fallSilent();
          setTimeout(() => stop.abort(), 100);
        },
        { timeoutMs: null, signal: stop.signal },
      );
      expect(await found).toMatchObject({ kind: "unavailable" });
      const before = look((subject) => subject.serve(ISSUE), { signal: AbortSignal.abort() });
      expect(await before).toMatchObject({ kind: "unavailable" });
    });
  });
}
