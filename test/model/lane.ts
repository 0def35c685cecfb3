/**
 * The runs of one process: a folder and a home of its own.
 *
 * WAYMARK_MODEL_RUNS (50) sets how many in all lanes, and WAYMARK_MODEL_MINUTES after what time it is enough. WAYMARK_MODEL_SEED and
 * WAYMARK_MODEL_PATH repeat a run that failed. The normal tests
 * always do the same work, so that a change is never blamed for what it did not do; `npm run test:model` searches elsewhere each time.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { failedRow } from "./failed-row.ts";
import { ModelRun, type Tally } from "./model-run.ts";
import { Starts } from "./starts.ts";
import { anyWork, type Work } from "./steps.ts";

export const LANES = 2;

const allRuns = Number(process.env["WAYMARK_MODEL_RUNS"] ?? 50);
const seed = Number(process.env["WAYMARK_MODEL_SEED"] ?? 20_261_115);
const minutes = Number(process.env["WAYMARK_MODEL_MINUTES"] ?? Infinity);
const path = process.env["WAYMARK_MODEL_PATH"];
/** The first failure as it was found, at once: for a search over many. */
const shrinks = process.env["WAYMARK_MODEL_SHRINK"] !== "0";
/** Failures are listed as they come, and the search goes on. */
const keepsGoing = process.env["WAYMARK_MODEL_KEEP_GOING"] === "1";
const reports = process.env["WAYMARK_MODEL_REPORTS"];

/** For example a repository of a kind that this git does not know. */
const NO_START = "starts that cannot be made here";

export class Lane {
  readonly number: number;
  readonly runs = Math.ceil(allRuns / LANES);
  /** Generous: shrinking a failure takes many runs more. */
  readonly timeLimitMs = Math.max(600_000, this.runs * 15_000);
  readonly seed: number;
  readonly #folder: string;
  readonly #starts: Starts;
  readonly #tally: Tally = new Map();
  #begun = 0;
  #failed = 0;
  /** How many of them belong to which row of the figures. */
  readonly #failedRows = new Map<string, number>();

  constructor(number: number) {
    this.number = number;
    this.seed = path === undefined ? seed + number : seed;
    this.#folder = mkdtempSync(join(tmpdir(), "waymark-model-"));
    this.#starts = new Starts(this.#folder);
    // What is done in this process sees what the commands of the user see.
    delete process.env["GIT_CONFIG_GLOBAL"];
    delete process.env["XDG_CONFIG_HOME"];
    process.env["HOME"] = join(this.#folder, "run", "home");
    process.env["WAYMARK_NO_AUTO_CLEANUP"] = "1";
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #checkAndGoOn(work: Work): Promise<void> {
    // As fast-check counts them: where nothing was made smaller, a path is the number of the run.
    const path = this.#begun++;
    try {
      await this.check(work);
    } catch (error) {
      this.#failed += 1;
      const row = failedRow(error instanceof Error ? error.message : "");
      if (row !== undefined) this.#failedRows.set(row, (this.#failedRows.get(row) ?? 0) + 1);
      console.error(failureText(this.seed, String(path), work, error));
    }
  }

  async check(work: Work): Promise<void> {
    // What has begun is finished.
    if (performance.now() > minutes * 60_000) return;
    const place = await this.#starts.begin(work.start);
    if (place === undefined) {
      this.#tally.set(NO_START, (this.#tally.get(NO_START) ?? 0) + 1);
      return;
    }
    this.#tally.set("runs", (this.#tally.get("runs") ?? 0) + 1);
    await new ModelRun(place, work, this.#tally).run();
    if ((this.#tally.get("runs") ?? 0) % 20 === 0) this.#writeReport();
  }

  /** How far it has come; at the end, what all of it was. */
  #writeReport(): void {
    if (reports === undefined) return;
    const text = JSON.stringify({
      seed: this.seed,
      failed: this.#failed,
      failedRows: [...this.#failedRows],
      tally: [...this.#tally],
    });
    writeFileSync(join(reports, `lane-${this.number}.json`), text);
  }

  async search(): Promise<void> {
    await fc.assert(
      fc.asyncProperty(anyWork, (work) =>
        keepsGoing ? this.#checkAndGoOn(work) : this.check(work),
      ),
      {
        numRuns: path === undefined ? this.runs : 1,
        seed: this.seed,
        ...(path === undefined ? {} : { path }),
        interruptAfterTimeLimit: this.timeLimitMs - 20_000,
        markInterruptAsFailure: true,
        endOnFailure: !shrinks,
        reporter: report,
      },
    );
    this.#writeReport();
    if (this.#tally.get("runs") === undefined)
      throw new Error("no start could be made: nothing was tried");
    if (this.#failed > 0) throw new Error(`${this.#failed} runs failed`);
  }
}

/** The shortest way back to a failure comes first, the differences after it. */
function report(details: fc.RunDetails<[Work]>): void {
  if (!details.failed) return;
  const text = `failed after ${details.numRuns} runs and ${details.numShrinks} shrinks\n${failureText(
    details.seed,
    details.counterexamplePath ?? "",
    details.counterexample?.[0] ?? null,
    details.errorInstance,
  )}`;
  // At once: other lanes may take an hour yet.
  console.error(text);
  throw new Error(text);
}

function failureText(seed: number, path: string, work: Work | null, error: unknown): string {
  const repeat = `npm run test:model -- --seed ${seed} --path ${path}`;
  const cause = error instanceof Error ? error.message : "interrupted";
  return `repeat: ${repeat}\nwork: ${JSON.stringify(work)}\n${cause}`;
}
