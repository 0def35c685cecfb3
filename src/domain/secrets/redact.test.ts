import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactChanges, redactValue, redactWords } from "./redact.ts";

const TOKEN = ["ghp", "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7"].join("_");

describe("redact", () => {
  it.each([
    [`use ${TOKEN} now`, "use [redacted: github-token] now"],
    [`${TOKEN}${TOKEN}`, undefined],
    [
      "psql postgres://me:hunter2@localhost/x",
      "psql postgres://me:[redacted: url-password]@localhost/x",
    ],
    ["redis://:pw@host", "redis://:[redacted: url-password]@host"],
    ["mysql --password=hunter2 -u me", "mysql --password=[redacted: command-line-secret] -u me"],
    [
      "deploy --api-key abcd1234 --dry-run",
      "deploy --api-key [redacted: command-line-secret] --dry-run",
    ],
    ["DB_PASSWORD=hunter2 npm test", "DB_PASSWORD=[redacted: assigned-secret] npm test"],
    ["password: hunter2", "password: [redacted: assigned-secret]"],
    [
      'curl -H "Authorization: Bearer q1w2e3r4t5z6.u7i8" x',
      'curl -H "Authorization: Bearer [redacted: authorization-header]" x',
    ],
  ])("%j", (text, expected) => {
    if (expected === undefined) expect(redact(text)).not.toContain(TOKEN.slice(0, 12));
    else expect(redact(text)).toBe(expected);
  });

  it.each([
    "before the refactoring",
    "fix token: handle expiry",
    "the password reset flow, the token rotation",
    "deploy --password $DB_PASSWORD",
    "deploy --token-file ./token.txt",
    "https://github.com/owner/name/issues/4",
    "see git@github.com:owner/name.git",
    "secret santa = fun",
  ])("leaves %j as it is", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("leaves nothing of a value that was put in, and changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const once = redact(`${before} ${TOKEN} ${after}`);
        expect(once).not.toContain(TOKEN);
        expect(redact(once)).toBe(once);
      }),
    );
  });
});

describe("redactWords", () => {
  it.each([
    [
      ["deploy", "--token", "abcd1234", "--dry-run"],
      ["deploy", "--token", "[redacted: command-line-secret]", "--dry-run"],
    ],
    [
      ["deploy", "--password", "with two words"],
      ["deploy", "--password", "[redacted: command-line-secret]"],
    ],
    [
      ["sh", "-c", "DB_PASSWORD=hunter2 x"],
      ["sh", "-c", "DB_PASSWORD=[redacted: assigned-secret] x"],
    ],
    [
      ["env", "PGPASSWORD=hunter2", "psql"],
      ["env", "PGPASSWORD=[redacted: assigned-secret]", "psql"],
    ],
    [[TOKEN], ["[redacted: github-token]"]],
    [
      ["npm", "run", "token", "--", "build"],
      ["npm", "run", "token", "--", "build"],
    ],
  ])("%j", (words, expected) => {
    expect(redactWords(words)).toEqual(expected);
  });
});

describe("redactValue", () => {
  it("looks into lists, objects and names of fields", () => {
    const value = {
      note: `with ${TOKEN}`,
      list: [1, null, true, { password: "hunter2" }],
      [TOKEN]: 1,
      tests: 12,
      token_count: "12345",
      text: "a password in words",
    };
    expect(redactValue(value)).toEqual({
      note: "with [redacted: github-token]",
      list: [1, null, true, { password: "[redacted: assigned-secret]" }],
      "[redacted: github-token]": 1,
      tests: 12,
      token_count: "12345",
      text: "a password in words",
    });
  });
});

describe("redactChanges", () => {
  it("does the same to whatever is not there before", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, value) => {
        const after = { before, value, list: [value, TOKEN], password: "hunter2" };
        const known = { before: redactValue(before), list: [redactValue(value)] };
        expect(redactChanges(known, after)).toEqual(redactValue(after));
      }),
    );
  });

  it("leaves what was there before as it is, and looks at what was changed or added inside of it", () => {
    const same = { note: TOKEN };
    const before = { same, list: [same, 1], inner: { kept: same, text: "old" } };
    const after = { ...before, list: [same, TOKEN], inner: { kept: same, text: TOKEN } };
    expect(redactChanges(before, after)).toEqual({
      same,
      list: [same, "[redacted: github-token]"],
      inner: { kept: same, text: "[redacted: github-token]" },
    });
  });
});
