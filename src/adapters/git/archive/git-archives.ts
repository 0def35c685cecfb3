/** The Archives port: archives are git bundles with a manifest. */
import { NO_SIZE_LIMIT } from "../../../domain/archive.ts";
import { Failure } from "../../../domain/failure.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type {
  Admission,
  ArchiveFacts,
  Archives,
  OpenedArchive,
  ReadOrder,
  WriteOrder,
} from "../../../ports/archives.ts";
import { Quarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { admit, planAdmission, type AdmissionPlan } from "./admit-archive.ts";
import { exportPlace } from "./export-place.ts";
import { inspectArchive, type InspectedArchive } from "./inspect-archive.ts";
import { problemOf } from "./refusal.ts";
import { writeArchive } from "./write-archive.ts";

export class GitArchives implements Archives {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository.store;
  }

  /** What was written is read again by the very checks of an import before it gets its name. */
  async write(order: WriteOrder): Promise<ArchiveFacts> {
    const quarantine = new Quarantine(this.#repository);
    try {
      const place = exportPlace(this.#repository.project, order.file, order.overwrite, order.at);
      const path = await writeArchive(this.#repository, quarantine, order);
      const facts = await this.#checkOwn(path, order);
      return { ...facts, file: place.put(path) };
    } catch (error) {
      throw asFailure(error, "writing the archive");
    } finally {
      quarantine.discard();
    }
  }

  async #checkOwn(path: string, order: WriteOrder): Promise<ArchiveFacts> {
    try {
      const inspected = await inspectArchive(this.#repository, {
        file: path,
        limitsFor: () => NO_SIZE_LIMIT,
        progress: order.progress,
      });
      inspected.pack.discard();
      return factsOf(path, inspected);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "archive_refused") throw error;
      throw new Failure(
        "archive_refused",
        `an import would refuse this export: ${problemOf(error)}`,
        {
          hint: "If the cause is old history, exclude that with `--since REV`. Nothing was written.",
          details: error.details,
          cause: error,
        },
      );
    }
  }

  async open(order: ReadOrder): Promise<OpenedArchive> {
    try {
      return new OpenedGitArchive(
        this.#repository,
        order.file,
        await inspectArchive(this.#repository, order),
      );
    } catch (error) {
      throw asFailure(error, "reading the archive");
    }
  }
}

class OpenedGitArchive implements OpenedArchive {
  readonly facts: ArchiveFacts;
  readonly #repository: Repository;
  readonly #inspected: InspectedArchive;
  #plan: AdmissionPlan | undefined;

  constructor(repository: Repository, file: string, inspected: InspectedArchive) {
    this.#repository = repository;
    this.#inspected = inspected;
    this.facts = factsOf(file, inspected);
  }

  async plan(): Promise<Admission> {
    this.#plan = await planAdmission(this.#repository, this.#inspected);
    return this.#plan;
  }

  admit(): Promise<boolean> {
    if (this.#plan === undefined) throw new Error("an archive is planned before it is admitted");
    return admit(this.#repository, this.#inspected, this.#plan);
  }

  discard(): void {
    this.#inspected.pack.discard();
  }
}

function factsOf(file: string, { pack, manifest }: InspectedArchive): ArchiveFacts {
  return {
    file,
    bytes: pack.bytes,
    sha256: pack.sha256,
    createdAt: manifest.created_at,
    project: manifest.project,
    checkpoints: manifest.checkpoints.map((checkpoint) => ({
      id: checkpoint.id,
      sessionId: checkpoint.session_id,
      createdAt: checkpoint.created_at,
    })),
    sessionIds: manifest.sessions.map(({ id }) => id),
    basis: manifest.basis,
    ...pack.size,
  };
}
