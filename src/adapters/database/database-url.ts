/**
 * Takes the URL of a database apart, by hand, because libpq knows forms that `URL` does not: several hosts, no host.
 *
 * A password with a `/`, `?`, `#` or `&` in it that was not escaped would be taken for the host, the database or a setting, which
 * are shown and handed to programs as words that others can see. Whatever could be one is refused, and nothing of it is said.
 */
import { Failure } from "../../domain/failure.ts";

export type UrlPlace = "on the command line" | "in the environment";

export interface UrlParts {
  readonly user: string | null;
  readonly host: string;
  readonly database: string;
  readonly query: URLSearchParams;
  readonly password: string | null;
  readonly secrets: readonly string[];
}

const URL_PARTS =
  /^[a-z]+:\/\/(?:(?<userinfo>[^/?#]*)@)?(?<host>[^/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?(?<rest>#.*)?$/is;
/** One or more, with commas between them; an address of IPv6 is in brackets. */
const HOSTS = /^(?:(?:\[[^[\]@,]*\]|[^:@,[\]\s]*)(?::\d*)?(?:,|$))*$/;
const SETTING = /^[a-z_]+=[^@]*$/i;

export function databaseUrlParts(url: string, place: UrlPlace): UrlParts {
  const found = URL_PARTS.exec(url)?.groups;
  if (found === undefined) {
    throw usage(
      `${withoutPassword(url)} is not the URL of a database`,
      "Write postgres://USER@HOST:PORT/DB or mysql://USER@HOST:PORT/DB.",
    );
  }
  const { userinfo = "", host = "", path = "", query: settings = "", rest } = found;
  const isClear =
    rest === undefined &&
    HOSTS.test(host) &&
    !path.includes("@") &&
    settings.split("&").every((setting) => setting === "" || SETTING.test(setting));
  if (!isClear) throw unescaped(url);
  const [, user = "", raw] = /^([^:]*)(?::(.*))?$/s.exec(userinfo) ?? [];
  const query = new URLSearchParams(settings);
  const hasSecret = query.has("password") || query.has("sslpassword");
  if (place === "on the command line" && (raw !== undefined || hasSecret)) {
    throw usage(
      "the URL contains a password, and other users can see the command line",
      "Omit it and pass it in PGPASSWORD or MYSQL_PWD, ~/.pgpass, a service file or an option file; or put the whole URL into an environment variable and write env:NAME.",
    );
  }
  if (query.has("sslpassword")) {
    throw usage(
      "sslpassword is not supported",
      "Use a key without a passphrase, or a service file.",
    );
  }
  const setting = query.get("password");
  query.delete("password");
  const password = raw === undefined ? setting : decoded(raw);
  return {
    user: user === "" ? null : decoded(user),
    host,
    database: decoded(path.slice(1)),
    query,
    password,
    secrets: formsOf(url, [raw, password, setting]),
  };
}

/** Longest first: a piece that is taken out early would hide the whole. */
function formsOf(url: string, words: readonly (string | null | undefined)[]): readonly string[] {
  const found = words.flatMap((word) =>
    word === null || word === undefined || word === "" ? [] : [word],
  );
  if (found.length === 0) return [];
  const all = [url, ...found.flatMap((word) => [word, encodeURIComponent(word)])];
  return [...new Set(all)].toSorted((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usage(
      "the URL has an invalid % escape",
      "Write %25 for a percent sign, %40 for @, %2F for / and %3A for a colon.",
    );
  }
}

/** What nobody understands may hold a password anywhere. */
export function withoutPassword(url: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0];
  if (scheme !== undefined) return `${scheme}…`;
  return /^[\w./~-]+$/.test(url) ? url : "this";
}

function unescaped(url: string): Failure {
  return usage(
    `${withoutPassword(url)} cannot be parsed: it is unclear where its password, host and database end`,
    "In a user, password, database or setting write %2F for /, %3F for ?, %23 for #, %40 for @, %3A for a colon and %26 for &. A port is a number.",
  );
}

function usage(message: string, hint: string): Failure {
  return new Failure("usage", message, { hint });
}
