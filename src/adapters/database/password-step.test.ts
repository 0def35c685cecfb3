import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDatabaseUrl } from "./database-address.ts";
import { passwordSteps } from "./password-step.ts";

const NAME = "DB_URL";

/** What the shell takes out of it, and what we do. */
function bothWays(url: string): { readonly shell: string; readonly ours: string | null } {
  const env = { ...process.env, [NAME]: url };
  const address = parseDatabaseUrl(`env:${NAME}`, { root: "/", directory: "/", env });
  if (address.engine === "sqlite") throw new Error("not a server");
  const steps = passwordSteps(address, "PGPASSWORD");
  const command = [...steps, String.raw`printf %s "$PGPASSWORD"`].join(" && ");
  const shell = spawnSync("sh", ["-c", command], { env, encoding: "utf8" }).stdout;
  return { shell, ours: address.password };
}

describe("the password of a URL in a variable", () => {
  it.each([
    ["postgres://ann:secret@host:5432/app", "secret"],
    ["postgresql://ann:a:b@c@host/app?sslmode=prefer", "a:b@c"],
    ["mysql://ann:%40%2F%3a%25%20%C3%A4@host/app", "@/:% ä"],
    ["postgres://ann@host/app?sslmode=prefer&password=s%26x&connect_timeout=3", "s&x"],
  ])("of %s", (url, password) => {
    expect(bothWays(url)).toEqual({ shell: password, ours: password });
  });

  it("is the same in the shell, whatever it is", () => {
    // A shell drops line ends at the end of an answer, and a URL has none.
    const password = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(password, (secret) => {
        fc.pre(!/[\0\r\n]/.test(secret));
        const url = `postgres://ann:${encodeURIComponent(secret)}@host/app`;
        expect(bothWays(url)).toEqual({ shell: secret, ours: secret });
      }),
      { numRuns: 40 },
    );
  });

  it("is not asked for where there is none", () => {
    expect(passwordSteps({ source: `env:${NAME}`, password: null }, "MYSQL_PWD")).toEqual([]);
    expect(passwordSteps({ source: "mysql://ann@host/app", password: null }, "MYSQL_PWD")).toEqual(
      [],
    );
  });
});
