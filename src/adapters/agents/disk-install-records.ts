/** The InstallRecords port as one file for each record. */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { recordName, type InstallRecord } from "../../domain/agents/install-record.ts";
import type { InstallRecords } from "../../ports/install-records.ts";
import { writeDurably } from "../files/durable-write.ts";
import { namesIn } from "../files/names-in.ts";
import { takeLock } from "../files/owned-lock.ts";
import { parseRecord, recordText } from "./install-record-text.ts";

const LOCK_WAIT_MS = 5000;
const ENDING = ".json";

export class DiskInstallRecords implements InstallRecords {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  all(): readonly InstallRecord[] {
    return namesIn(this.#folder)
      .filter((name) => name.endsWith(ENDING))
      .toSorted()
      .flatMap((name) => read(join(this.#folder, name)) ?? []);
  }

  save(record: InstallRecord): void {
    writeDurably(this.#path(record), recordText(record), true);
  }

  forget(record: InstallRecord): void {
    rmSync(this.#path(record), { force: true });
  }

  async exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const lock = await takeLock(join(this.#folder, "lock"), "installing hooks", LOCK_WAIT_MS);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #path(record: InstallRecord): string {
    const digest = createHash("sha256").update(recordName(record)).digest("hex").slice(0, 16);
    return join(this.#folder, `${record.agent}-${digest}${ENDING}`);
  }
}

function read(path: string): InstallRecord | undefined {
  try {
    return parseRecord(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
