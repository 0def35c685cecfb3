import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../domain/failure.ts";
import { parseDatabaseUrl, sqliteFiles } from "./database-address.ts";

const CONTEXT = {
  root: "/srv/app",
  directory: "/srv/app/sub",
  env: {
    WITH_PASSWORD: "postgres://ann:p%40ss@db.example:5433/app?sslmode=require",
    MY: "mysql://ann:p%3Ass@db.example/shop",
    NESTED: "env:MY",
    PGDATABASE: "theirs",
    PGHOST: "pg.example",
  },
};
const parse = (url: string) => parseDatabaseUrl(url, CONTEXT);

describe("addresses of databases", () => {
  it.each([
    [
      "sqlite:app.db",
      { path: "/srv/app/sub/app.db", source: "sqlite:sub/app.db", label: "sub/app.db" },
    ],
    ["../data/x.sqlite3", { path: "/srv/app/data/x.sqlite3", source: "sqlite:data/x.sqlite3" }],
    ["sqlite:///var/lib/x", { path: "/var/lib/x", source: "sqlite:/var/lib/x" }],
    ["sqlite:/var/lib/x", { path: "/var/lib/x" }],
    ["sqlite:..db", { path: "/srv/app/sub/..db", source: "sqlite:sub/..db" }],
  ])("%s", (url, expected) => {
    expect(parse(url)).toMatchObject({ engine: "sqlite", ...expected });
  });

  it.each([
    [
      "postgres://ann@localhost:5433/app",
      {
        connection: "postgres://ann@localhost:5433/app",
        database: "app",
        label: "app on localhost:5433",
      },
    ],
    ["postgresql://localhost/a%20b", { connection: "postgres://localhost/a%20b", database: "a b" }],
    [
      "postgres:///app?host=/run/pg",
      { connection: "postgres:///app?host=%2Frun%2Fpg", label: "app on /run/pg" },
    ],
    ["postgres://h1:1,h2:2/app", { connection: "postgres://h1:1,h2:2/app" }],
    [
      "postgres:",
      { connection: "", source: "postgres:", database: "theirs", label: "theirs on pg.example" },
    ],
    ["service:it's", { connection: String.raw`service='it\'s'`, source: "service:it's" }],
    [
      "env:WITH_PASSWORD",
      {
        connection: "postgres://ann@db.example:5433/app?sslmode=require",
        source: "env:WITH_PASSWORD",
        password: "p@ss",
      },
    ],
  ])("%s", (url, expected) => {
    expect(parse(url)).toMatchObject({ engine: "postgresql", ...expected });
  });

  it.each([
    [
      "mysql://ann@localhost:3307/app",
      { user: "ann", host: "localhost", port: "3307", database: "app", password: null },
    ],
    [
      "mariadb:///app?socket=/run/db.sock",
      { user: null, host: null, socket: "/run/db.sock", label: "app on /run/db.sock" },
    ],
    ["mysql://[::1]:3307/app", { host: "::1", port: "3307" }],
    ["env:MY", { source: "env:MY", password: "p:ss", user: "ann" }],
  ])("%s", (url, expected) => {
    expect(parse(url)).toMatchObject({ engine: "mysql", ...expected });
  });

  it.each([
    "postgres://ann:secret@localhost/app",
    "postgres://ann:@localhost/app",
    "postgres://localhost/app?password=secret",
    "mysql://ann:secret@localhost/app",
    "mysql://localhost/app?password=secret",
  ])("refuses a password on the command line, without repeating it: %s", (url) => {
    expect(() => parse(url)).toThrow(/the URL contains a password/);
    expect(() => parse(url)).not.toThrow(/secret/);
  });

  it.each([
    "",
    "app",
    "sqlite:",
    "sqlite::memory:",
    "service:",
    "env:",
    "env:UNSET",
    "env:NESTED",
    "oracle://x/y",
    "mysql://localhost",
    "mysql://h/db?ssl=1",
    "postgres://h/%zz",
    "sqlite:a\nb",
  ])("refuses %j", (url) => {
    expect(() => parse(url)).toThrow(Failure);
  });

  it.each(["postgres:hunter2", "other://u:hunter2@h/d", "mysql:u:hunter2", "u:hunter2@host/db"])(
    "says nothing of %s but that it is none",
    (url) => {
      const context = { directory: "/project", root: "/project", env: {} };
      expect(() => parseDatabaseUrl(url, context)).toThrow(Failure);
      expect(() => parseDatabaseUrl(url, context)).not.toThrow(/hunter2/);
    },
  );

  it.each(
    ["postgres", "postgresql", "mysql", "mariadb"].flatMap((scheme) => [
      `${scheme}://ann:Sup3r/S3cret@localhost/shop`,
      `${scheme}://ann:Sup3r?S3cret@localhost/shop`,
      `${scheme}://ann:Sup3r#S3cret@localhost/shop`,
      `${scheme}://ann:1/S3cret@localhost/shop`,
      `${scheme}://ann:Sup3r@S3/cret@localhost/shop`,
      `${scheme}://ann:Sup3r/S3cret`,
      `${scheme}://localhost/shop?password=Sup3r&S3cret`,
      `${scheme}://localhost/shop?password=Sup3r#S3cret`,
      `${scheme}://localhost/shop?password=Sup3r@S3cret`,
    ]),
  )("refuses a password that is not escaped, and repeats nothing of it: %s", (secret) => {
    for (const [url, env] of [
      [secret, {}],
      ["env:APP_DB", { APP_DB: secret }],
    ] as const) {
      expect(() => parseDatabaseUrl(url, { ...CONTEXT, env })).toThrow(
        expect.objectContaining({ code: "usage", hint: expect.stringContaining("%2F for /") }),
      );
      expect(() => parseDatabaseUrl(url, { ...CONTEXT, env })).not.toThrow(/Sup3r|cret|S3/);
    }
  });

  it("shows nothing of a password, whatever is in it", () => {
    const piece = fc.constantFrom("Sup3r", "S3cret", "1", ..."/?#@:&=%,[] +.".split(""));
    const urls = fc
      .tuple(fc.constantFrom("postgres", "mysql"), fc.array(piece, { maxLength: 8 }))
      .map(([scheme, pieces]) => `${scheme}://ann:Sup3r${pieces.join("")}@localhost/shop`);
    fc.assert(
      fc.property(urls, (url) => {
        let shown: string;
        try {
          const address = parseDatabaseUrl("env:URL", { ...CONTEXT, env: { URL: url } });
          const { password, secrets, ...open } = { password: null, secrets: [], ...address };
          shown = JSON.stringify(open);
          expect(secrets).toContain(password);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          shown = `${error.message} ${error.hint}`;
        }
        expect(shown).not.toMatch(/Sup3r|S3cret/);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps every form of a password from messages, the longest first", () => {
    const address = parse("env:WITH_PASSWORD");
    expect(address).toMatchObject({
      secrets: [CONTEXT.env.WITH_PASSWORD, "p%2540ss", "p%40ss", "p@ss"],
    });
  });

  it("never keeps a password in what is written down, and never throws anything but a Failure", () => {
    const words = fc.constantFrom(
      "postgres",
      "mysql",
      "mariadb",
      "sqlite",
      "env",
      "://",
      ":",
      "@",
      "/",
      "?",
      "password=",
      "hunter2",
      "db",
      "&",
      "%40",
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const url = parts.join("");
        const env = { ...CONTEXT.env, URL: url };
        try {
          const { source, label } = parseDatabaseUrl("env:URL", { ...CONTEXT, env });
          expect(source).toBe("env:URL");
          if (/:\/\/[^/?]*:hunter2@/.test(url)) expect(label).not.toContain("hunter2@");
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
          expect(String(error)).not.toContain("hunter2");
        }
      }),
    );
  });

  it("knows every file of a SQLite database", () => {
    expect(sqliteFiles("/a.db")).toEqual(["/a.db", "/a.db-wal", "/a.db-shm", "/a.db-journal"]);
  });
});
