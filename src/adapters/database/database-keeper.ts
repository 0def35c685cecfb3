/** Keeps databases: a dump of each in the checkpoint's tree, with a manifest that says what it holds. */
import { join, resolve } from "node:path";
import { fetchStep } from "../../domain/by-hand.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import { Failure } from "../../domain/failure.ts";
import { humanBytes } from "../../domain/human-bytes.ts";
import type { DatabasePart } from "../../domain/parts.ts";
import type {
  CapturedPart,
  HeldPart,
  PartContent,
  PartDescription,
  PartKeeper,
  PartKept,
  PartPreview,
  PartRestoreOrder,
  PreparedPart,
} from "../../ports/part-keeper.ts";
import type { DatabaseAsk } from "../../ports/part-keepers.ts";
import type { Progress } from "../../ports/progress.ts";
import { realOrSame, whereItLeads } from "../files/real-path.ts";
import { parseDatabaseUrl } from "./database-address.ts";
import {
  contentDigest,
  differences,
  NEWEST_READING,
  readingOf,
  rowsIn,
  type Reading,
} from "./database-content.ts";
import { MANIFEST, type DatabaseManifest, type DumpFile } from "./database-manifest.ts";
import type { Database, DatabaseRestore } from "./database.ts";
import { damagedDatabase, describeFile, extractDump, manifestOf } from "./held-database.ts";
import { openDatabase } from "./open-database.ts";
import { WorkFolders } from "./work-folders.ts";

export interface DatabaseKeeperOptions {
  /** The root of the project. */
  readonly root: string;
  /** Where the user is: relative paths of an ask start there. */
  readonly directory: string;
  /** A private folder for temporary files, which is swept. */
  readonly temporary: string;
  readonly maxBytes: number;
  /** How long transactions of others may keep a restore waiting. */
  readonly waitMs?: number;
  readonly progress: Progress;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How git finds the checkpoints from any folder, for commands that people run by hand. */
  readonly git: string;
}

const WAIT_MS = 10_000;
const FOREIGN = "rollbacks to imported checkpoints never change databases";
const LEADS_ELSEWHERE = "its path now contains a link to another place";
const NOT_CAPTURED = "not captured";

export class DatabaseKeeper implements PartKeeper<DatabasePart, DatabaseAsk> {
  readonly type = "database_savepoint";
  readonly #options: DatabaseKeeperOptions;
  readonly #folders: WorkFolders;
  /** Digests of what restores made that is not exactly what was asked for, so that the way back knows it for ours. */
  readonly #madeFor = new Map<string, string>();

  constructor(options: DatabaseKeeperOptions) {
    this.#options = options;
    this.#folders = new WorkFolders(options.temporary);
  }

  async capture(ask: DatabaseAsk): Promise<CapturedPart<DatabasePart>> {
    const database = await this.#open(ask.url, this.#options.directory);
    const folder = `database/${ask.number ?? 1}`;
    const captured = await this.#take(
      database,
      folder,
      this.#options.maxBytes,
      null,
      NEWEST_READING,
    );
    try {
      const missing = await database.missingRights();
      return withObstacles(captured, [
        ...(missing.length === 0
          ? []
          : [`the user lacks the right ${missing.join(", and the right ")}`]),
        ...((await database.obstacles?.()) ?? []),
      ]);
    } catch (error) {
      captured.discard();
      throw error;
    }
  }

  async captureLike(held: HeldPart<DatabasePart>): Promise<CapturedPart<DatabasePart>> {
    const { engine, label, source, folder } = held.part;
    const manifest = await manifestOf(held);
    if (this.#untouchable(held, manifest) !== undefined) {
      return captureOf({ engine, label, source }, folder, {
        ...manifest,
        state: "not_captured",
        files: {},
        content: null,
      });
    }
    // Whatever its size: a rollback may not begin without it.
    const reading = readingOf(manifest.content);
    return this.#take(await this.#reopen(held), folder, Infinity, manifest.database, reading);
  }

  async verify(held: HeldPart<DatabasePart>): Promise<readonly string[]> {
    try {
      const manifest = await manifestOf(held);
      await this.#folders.use(async (folder) => {
        // On another machine the dump is where it was taken.
        if (held.isForeign && !(await held.isHere())) return;
        await extractDump(held, manifest, folder);
        // Programs are not fed with what comes from others.
        if (held.isForeign || manifest.state !== "captured") return;
        await this.#checkReadable(held, manifest, folder, await this.#reopen(held));
      });
      return [];
    } catch (error) {
      if (error instanceof Failure) return [error.message];
      throw error;
    }
  }

  async preview(held: HeldPart<DatabasePart>): Promise<PartPreview> {
    const { label } = held.part;
    const manifest = await manifestOf(held);
    const reason = this.#untouchable(held, manifest);
    if (reason !== undefined)
      return { changes: [], kept: [{ what: label, reason, isElsewhere: true }], now: "" };
    const reading = readingOf(manifest.content);
    const now = await (await this.#reopen(held)).contentNow(reading);
    const digest = contentDigest(held.part.engine, now);
    const found = differences(now, manifest.content);
    if (found.length === 0) return { changes: [], kept: [], now: digest };
    const operation =
      manifest.content === null ? "removed" : now === null ? "restored" : "changed_back";
    return {
      changes: [{ what: label, operation, summary: found.join("; ") }],
      kept: [],
      now: digest,
    };
  }

  async prepare(order: PartRestoreOrder<DatabasePart>): Promise<PreparedPart> {
    const { to, expected } = order;
    const { label } = to.part;
    const manifest = await manifestOf(to);
    const reason = this.#untouchable(to, manifest);
    // Paths choose files; a database is none.
    if (reason !== undefined || order.paths !== null) {
      const kept: PartKept[] =
        reason === undefined ? [] : [{ what: label, reason, isElsewhere: true }];
      return { apply: async () => kept, mismatches: async () => [], close: () => undefined };
    }
    const database = await this.#reopen(to);
    const folder = this.#folders.make();
    try {
      await extractDump(to, manifest, folder);
      if (manifest.state === "captured") {
        await this.#checkReadable(to, manifest, folder, database);
      }
      await database.finishInterrupted?.();
      const { content } = manifest.content === null ? await manifestOf(expected) : manifest;
      const reading = readingOf(content);
      const now = await database.contentNow(reading);
      // Then there is nothing to make ready, and no right is needed for it.
      const isDone = contentDigest(to.part.engine, now) === to.part.digest;
      if (isDone) {
        const looking = lookOnly(database, reading);
        return this.#prepared(database, looking, folder, manifest, to.part.digest, to.part);
      }
      const dump = manifest.state === "captured" ? folder : null;
      const restore = await database.prepareRestore(dump, manifest.database, reading);
      return this.#prepared(database, restore, folder, manifest, expected.part.digest, to.part);
    } catch (error) {
      this.#folders.remove(folder);
      throw error;
    }
  }

  #prepared(
    database: Database,
    restore: DatabaseRestore,
    folder: string,
    manifest: DatabaseManifest,
    expected: string,
    to: DatabasePart,
  ): PreparedPart {
    let isKept = false;
    return {
      apply: async () => {
        const task = this.#options.progress.begin(`restoring ${to.label}`);
        try {
          const verdict = await restore.apply((now) => {
            const digest = contentDigest(to.engine, now);
            if (digest === to.digest) return "done";
            const isOurs = digest === expected || this.#madeFor.get(digest) === expected;
            return isOurs ? "replace" : "keep";
          });
          isKept = verdict === "keep";
        } finally {
          task.end();
        }
        return isKept ? [{ what: to.label, reason: "it was changed since and was kept" }] : [];
      },
      mismatches: async () => {
        if (isKept) return [];
        const { content } = manifest;
        const now = await database.contentNow(readingOf(content));
        const found = differences(now, manifest.content);
        const areRowsRight = canonicalJson(now?.tables) === canonicalJson(manifest.content?.tables);
        if (found.length > 0 && areRowsRight) {
          this.#madeFor.set(contentDigest(to.engine, now), to.digest);
        }
        return found.map((difference) => `${to.label}: ${difference}`);
      },
      close: () => {
        restore.close();
        this.#folders.remove(folder);
      },
    };
  }

  async describe(held: HeldPart<DatabasePart>): Promise<PartDescription> {
    const { part } = held;
    const manifest = await manifestOf(held);
    const rows = `${part.rows} ${part.rows === 1 ? "row" : "rows"} in ${part.tables} ${part.tables === 1 ? "table" : "tables"}`;
    if (manifest.state !== "captured") {
      const summary = `${part.label}: ${manifest.state === "absent" ? "did not exist" : NOT_CAPTURED}`;
      return { summary, commands: [], prerequisites: [], rollbackNeeds: [] };
    }
    const summary = `${part.label}: ${rows}, ${humanBytes(part.bytes)}`;
    // Where a foreign one came from is nobody's business here, and env:NAME is not set there.
    if (held.isForeign) {
      return { summary, commands: [], prerequisites: [FOREIGN], rollbackNeeds: [] };
    }
    const database = await this.#tryReopen(held);
    const { git } = this.#options;
    const fetch = (file: string): string => {
      const bytes = manifest.files[file]?.bytes ?? 0;
      return fetchStep({ git, revision: held.revision(`${part.folder}/${file}`), bytes }, file);
    };
    const variable = /^env:(.*)$/s.exec(part.source)?.[1];
    const needs = [
      ...(variable === undefined
        ? []
        : [
            `${variable} is set${database === undefined ? "; then run this command again" : " as it is now"}`,
          ]),
      `${(database?.programs ?? [part.engine]).join(" and ")} on the PATH, and the rights of the database's owner`,
    ];
    return {
      summary,
      commands:
        database === undefined ? [] : [database.byHand({ fetch, database: manifest.database })],
      prerequisites: [...needs, "programs that use the database are stopped"],
      rollbackNeeds: [
        ...needs,
        ...(part.engine === "sqlite"
          ? []
          : [`${part.label} can be reached, with the same credentials`]),
      ],
    };
  }

  async #tryReopen(held: HeldPart<DatabasePart>): Promise<Database | undefined> {
    try {
      return await this.#reopen(held);
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  async #take(
    database: Database,
    folder: string,
    maxBytes: number,
    /** How it is called, if it may be gone by now. */
    absent: string | null,
    reading: Reading,
  ): Promise<CapturedPart<DatabasePart>> {
    const temporary = this.#folders.make();
    const task = this.#options.progress.begin(`dumping ${database.label}`);
    try {
      const limits = { maxBytes, onBytes: (bytes: number) => task.advance(0, bytes) };
      const dump = await database.dump(temporary, limits, reading);
      if (dump === null && absent === null) throw noSuchDatabase(database.label);
      const manifest: DatabaseManifest = {
        schema_version: 1,
        engine: database.engine,
        state: dump === null ? "absent" : "captured",
        database: dump?.database ?? absent ?? database.label,
        files: await describeFiles(temporary, dump?.files ?? []),
        content: dump === null ? null : await database.contentOf(temporary, reading),
      };
      return captureOf(database, folder, manifest, {
        temporary,
        warnings: (dump?.warnings ?? []).map((warning) => `${database.label}: ${warning}`),
        remove: () => this.#folders.remove(temporary),
      });
    } catch (error) {
      this.#folders.remove(temporary);
      throw error;
    } finally {
      task.end();
    }
  }

  async #checkReadable(
    held: HeldPart<DatabasePart>,
    manifest: DatabaseManifest,
    folder: string,
    database: Database,
  ): Promise<void> {
    const { content } = manifest;
    const now = await database.contentOf(folder, readingOf(content));
    const found = differences(now, content);
    if (found.length > 0)
      throw damagedDatabase(held, `its dump does not match what was captured: ${found.join("; ")}`);
  }

  async #open(url: string, directory: string): Promise<Database> {
    const { root, env, waitMs = WAIT_MS } = this.#options;
    const address = parseDatabaseUrl(url, { root, directory, env });
    return openDatabase(address, this.#folders, waitMs);
  }

  #untouchable(
    { part, isForeign }: HeldPart<DatabasePart>,
    manifest: DatabaseManifest,
  ): string | undefined {
    if (isForeign) return FOREIGN;
    if (manifest.state === "not_captured") return NOT_CAPTURED;
    const path = resolve(realOrSame(this.#options.root), part.label);
    return part.engine === "sqlite" && whereItLeads(path) !== path ? LEADS_ELSEWHERE : undefined;
  }

  #reopen(held: HeldPart<DatabasePart>): Promise<Database> {
    return this.#open(held.part.source, this.#options.root);
  }
}

function withObstacles(
  captured: CapturedPart<DatabasePart>,
  obstacles: readonly string[],
): CapturedPart<DatabasePart> {
  if (obstacles.length === 0) return captured;
  const { part, warnings } = captured;
  const warning = `${part.label}: it can be read but not restored, because ${obstacles.join("; and ")}`;
  return { ...captured, part: { ...part, restorable: false }, warnings: [...warnings, warning] };
}

/** For a database that is as it should be already. */
function lookOnly(database: Database, reading: Reading): DatabaseRestore {
  return {
    apply: async (judge) => judge(await database.contentNow(reading)),
    close: () => undefined,
  };
}

function captureOf(
  { engine, label, source }: Pick<DatabasePart, "engine" | "label" | "source">,
  folder: string,
  manifest: DatabaseManifest,
  dump?: { readonly temporary: string; readonly warnings: readonly string[]; remove(): void },
): CapturedPart<DatabasePart> {
  const entries = new Map<string, PartContent>(
    Object.keys(manifest.files).map((name) => [
      `${folder}/${name}`,
      { kind: "file", path: join(dump?.temporary ?? "", name) },
    ]),
  );
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  entries.set(`${folder}/${MANIFEST}`, { kind: "bytes", bytes });
  return {
    part: {
      type: "database_savepoint",
      digest: contentDigest(engine, manifest.content),
      engine,
      label,
      source,
      folder,
      bytes: Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0),
      tables: Object.keys(manifest.content?.tables ?? {}).length,
      rows: rowsIn(manifest.content),
    },
    entries,
    warnings: dump?.warnings ?? [],
    discard: () => dump?.remove(),
  };
}

async function describeFiles(
  folder: string,
  names: readonly string[],
): Promise<Record<string, DumpFile>> {
  const files: Record<string, DumpFile> = {};
  for (const name of names) files[name] = await describeFile(join(folder, name));
  return files;
}

function noSuchDatabase(label: string): Failure {
  return new Failure("database_not_found", `there is no database ${label}`, {
    hint: "Check the name. No checkpoint was created.",
  });
}
