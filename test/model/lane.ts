/**
 * The runs of one process: a folder and a home of its own.
 *
 * WAYMARK_MODEL_RUNS (300) sets how many in all lanes, and WAYMARK_MODEL_MINUTES after what time it is enough. WAYMARK_MODEL_SEED and
 * WAYMARK_MODEL_PATH repeat a run that failed. The normal tests
 * always do the same work, so that a change is never blamed for what it did not do; `npm run test:model` searches elsewhere each time.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll } from "vitest";
import { ModelRun, type Tally } from "./model-run.ts";
import { Starts } from "./starts.ts";
import { anyWork, type Work } from "./steps.ts";

export const LANES = 2;

const allRuns = Number(process.env["WAYMARK_MODEL_RUNS"] ?? 300);
const seed = Number(process.env["WAYMARK_MODEL_SEED"] ?? 20_261_115);
const minutes = Number(process.env["WAYMARK_MODEL_MINUTES"] ?? Infinity);
const path = process.env["WAYMARK_MODEL_PATH"];
/** The first failure as it was found, at once: for a search over many. */
const shrinks = process.env["WAYMARK_MODEL_SHRINK"] !== "0";
const reports = process.env["WAYMARK_MODEL_REPORTS"];

export class Lane {
  readonly number: number;
  readonly runs = Math.ceil(allRuns / LANES);
  /** Generous: shrinking a failure takes many runs more. */
  readonly timeLimitMs = Math.max(600_000, this.runs * 15_000);
  readonly seed: number;
  readonly #starts: Starts;
  readonly #tally: Tally = new Map();

  constructor(number: number) {
    this.number = number;
    this.seed = path === undefined ? seed + number : seed;
    const folder = mkdtempSync(join(tmpdir(), "waymark-model-"));
    this.#starts = new Starts(folder);
    // What is done in this process sees what the commands of the user see.
    delete process.env["GIT_CONFIG_GLOBAL"];
    delete process.env["XDG_CONFIG_HOME"];
    process.env["HOME"] = join(folder, "run", "home");
    process.env["WAYMARK_NO_AUTO_CLEANUP"] = "1";
    afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  }

  async check(work: Work): Promise<void> {
    // What has begun is finished.
    if (performance.now() > minutes * 60_000) return;
    const place = await this.#starts.begin(work.start);
    if (place === undefined) return;
    this.#tally.set("runs", (this.#tally.get("runs") ?? 0) + 1);
    await new ModelRun(place, work, this.#tally).run();
    if ((this.#tally.get("runs") ?? 0) % 20 === 0) this.#writeReport();
  }

  /** How far it has come; at the end, what all of it was. */
  #writeReport(): void {
    if (reports === undefined) return;
    const text = JSON.stringify({ seed: this.seed, tally: [...this.#tally] });
    writeFileSync(join(reports, `lane-${this.number}.json`), text);
  }

  async search(): Promise<void> {
    await fc.assert(
      fc.asyncProperty(anyWork, (work) => this.check(work)),
      {
        numRuns: this.runs,
        seed: this.seed,
        ...(path === undefined ? {} : { path }),
        interruptAfterTimeLimit: this.timeLimitMs - 20_000,
        markInterruptAsFailure: true,
        endOnFailure: !shrinks,
        reporter: report,
      },
    );
    this.#writeReport();
  }
}

/** The shortest way back to a failure comes first, the differences after it. */
function report(details: fc.RunDetails<[Work]>): void {
  if (!details.failed) return;
  const repeat = `npm run test:model -- --seed ${details.seed} --path ${details.counterexamplePath ?? ""}`;
  const example = JSON.stringify(details.counterexample?.[0] ?? null);
  const cause =
    details.errorInstance instanceof Error ? details.errorInstance.message : "interrupted";
  const text = `failed after ${details.numRuns} runs and ${details.numShrinks} shrinks\nrepeat: ${repeat}\nwork: ${example}\n${cause}`;
  // At once: other lanes may take an hour yet.
  console.error(text);
  throw new Error(text);
}
