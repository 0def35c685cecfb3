/** Where a database is and how to reach it, from what users write after `--database`. */
import { realOrSame, whereItLeads } from "../files/real-path.ts";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { databaseUrlParts, withoutPassword, type UrlPlace } from "./database-url.ts";

export interface SqliteAddress {
  readonly engine: "sqlite";
  readonly source: string;
  readonly label: string;
  readonly path: string;
}

export interface PostgresqlAddress {
  readonly engine: "postgresql";
  readonly source: string;
  readonly label: string;
  /** For libpq: a URL without a password, or `key='value'` words; empty: the PG* variables say everything. */
  readonly connection: string;
  /** null: the server or the environment decides. */
  readonly database: string | null;
  readonly password: string | null;
  /** What no message may show: the password in every form in which it was written. */
  readonly secrets: readonly string[];
}

export interface MysqlAddress {
  readonly engine: "mysql";
  readonly source: string;
  readonly label: string;
  readonly database: string;
  readonly user: string | null;
  readonly host: string | null;
  readonly port: string | null;
  readonly socket: string | null;
  readonly password: string | null;
  /** What no message may show: the password in every form in which it was written. */
  readonly secrets: readonly string[];
}

export type DatabaseAddress = SqliteAddress | PostgresqlAddress | MysqlAddress;

export interface AddressContext {
  /** Relative paths start here. */
  readonly directory: string;
  /** Paths inside of it are kept relative to it, so that the project can be moved. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const DATABASE_FORMS =
  "sqlite:PATH, postgres://USER@HOST:PORT/DB, service:NAME, postgres: (the PG* variables), mysql://USER@HOST:PORT/DB or env:NAME";

const SQLITE_FILE = /\.(?:db|sqlite|sqlite3)$/i;

export function parseDatabaseUrl(url: string, context: AddressContext): DatabaseAddress {
  const name = /^env:(.*)$/s.exec(url)?.[1];
  if (name === undefined) return parsePlain(url, context, "on the command line");
  const value = context.env[name];
  if (value === undefined || value === "") {
    throw usage(
      `the environment variable ${name === "" ? "(no name)" : name} is not set`,
      "Set it to the URL of the database, password included, for example postgres://ann:secret@localhost/app.",
    );
  }
  return { ...parsePlain(value, context, "in the environment"), source: url };
}

function parsePlain(url: string, context: AddressContext, place: UrlPlace): DatabaseAddress {
  if (/[\0\r\n]/.test(url)) throw unknown("the database");
  const scheme = /^([a-z]+):/i.exec(url)?.[1]?.toLowerCase();
  switch (scheme) {
    case "sqlite":
      return sqliteAddress(url.slice("sqlite:".length).replace(/^\/\/(?=\/|[^/])/, ""), context);
    case "service":
      return serviceAddress(url.slice("service:".length));
    case "postgres":
    case "postgresql":
      return postgresqlAddress(url, scheme, context, place);
    case "mysql":
    case "mariadb":
      return mysqlAddress(url, place);
    default:
      if (scheme === undefined && SQLITE_FILE.test(url)) return sqliteAddress(url, context);
      throw unknown(
        place === "in the environment" ? "the URL in the environment" : withoutPassword(url),
      );
  }
}

function sqliteAddress(path: string, context: AddressContext): SqliteAddress {
  if (path === "" || path === ":memory:") {
    throw usage(
      "an in-memory database cannot be captured: it has no file",
      "Name the file of the database: sqlite:path/to/app.db.",
    );
  }
  // Links are followed once, when it is named: one that comes in its place later is another database.
  const absolute = whereItLeads(resolve(context.directory, path));
  const inside = relative(realOrSame(context.root), absolute);
  const isInside = inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
  const label = isInside ? inside : absolute;
  return { engine: "sqlite", path: absolute, label, source: `sqlite:${label}` };
}

/** Every file that SQLite keeps for a database. Nobody else may put one of them back while it is in use. */
export function sqliteFiles(path: string): readonly string[] {
  return ["", "-wal", "-shm", "-journal"].map((end) => `${path}${end}`);
}

function serviceAddress(name: string): PostgresqlAddress {
  if (name === "") throw unknown("service:");
  return {
    engine: "postgresql",
    source: `service:${name}`,
    label: `service ${name}`,
    connection: `service=${conninfoValue(name)}`,
    database: null,
    password: null,
    secrets: [],
  };
}

function postgresqlAddress(
  url: string,
  scheme: string,
  context: AddressContext,
  place: UrlPlace,
): PostgresqlAddress {
  if (url === `${scheme}:`) {
    const database = context.env["PGDATABASE"] ?? context.env["PGUSER"] ?? null;
    const server = context.env["PGHOST"] ?? "local server";
    const label = database === null ? server : `${database} on ${server}`;
    return {
      engine: "postgresql",
      source: "postgres:",
      label,
      connection: "",
      database,
      password: null,
      secrets: [],
    };
  }
  const { user, host, database, query, password, secrets } = databaseUrlParts(url, place);
  const settings = query.size === 0 ? "" : `?${query.toString().replaceAll("+", "%20")}`;
  const path = database === "" ? "" : `/${encodeURIComponent(database)}`;
  const connection = `postgres://${user === null ? "" : `${encodeURIComponent(user)}@`}${host}${path}${settings}`;
  return {
    engine: "postgresql",
    source: connection,
    label: `${database === "" ? (user ?? "default") : database} on ${host === "" ? (query.get("host") ?? "local server") : host}`,
    connection,
    database: database === "" ? null : database,
    password,
    secrets,
  };
}

function mysqlAddress(url: string, place: UrlPlace): MysqlAddress {
  const { user, host, database, query, password, secrets } = databaseUrlParts(url, place);
  const socket = query.get("socket");
  if ([...query.keys()].some((key) => key !== "socket")) {
    throw usage(
      "the URL of a MySQL database has an unsupported parameter",
      "Only ?socket=PATH is supported; put other settings into an option file such as ~/.my.cnf.",
    );
  }
  if (database === "") {
    throw usage("the URL names no database", "Write mysql://USER@HOST:PORT/DATABASE.");
  }
  const [, name = "", port] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  const place_ = socket ?? (host === "" ? "localhost" : host);
  const credentials = user === null ? "" : `${encodeURIComponent(user)}@`;
  const settings = socket === null ? "" : `?socket=${encodeURIComponent(socket)}`;
  return {
    engine: "mysql",
    source: `mysql://${credentials}${host}/${encodeURIComponent(database)}${settings}`,
    label: `${database} on ${place_}`,
    database,
    user,
    host: name === "" ? null : name.replace(/^\[(.*)\]$/, "$1"),
    port: port ?? null,
    socket,
    password,
    secrets,
  };
}

/** A value of libpq's `key='value'` form. */
export function conninfoValue(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}

function unknown(what: string): Failure {
  return usage(`${what} is not a supported database`, `Use one of: ${DATABASE_FORMS}.`);
}

function usage(message: string, hint: string): Failure {
  return new Failure("usage", message, { hint });
}
