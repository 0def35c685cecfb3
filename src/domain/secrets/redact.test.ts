import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactCommand, redactChanges, redactValue, redactWords } from "./redact.ts";

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
    ["mysql -h db -u me -phunter2 x", "mysql -h db -u me -p[redacted: mysql-password] x"],
    ["docker exec -it db mysql -phunter2", "docker exec -it db mysql -p[redacted: mysql-password]"],
    ["bash -c 'mysql -phunter2'", "bash -c 'mysql -p[redacted: mysql-password]'"],
    ["PW=a sudo mysql -phunter2", "PW=a sudo mysql -p[redacted: mysql-password]"],
    ["mysqldump -p'two words' x", "mysqldump -p'[redacted: mysql-password]' x"],
    ["mongosh -u me -p hunter2", "mongosh -u me -p [redacted: mongo-password]"],
    ["redis-cli -h a -a hunter2 ping", "redis-cli -h a -a [redacted: redis-password] ping"],
    ["sqlcmd -S db -U sa -P hunter2", "sqlcmd -S db -U sa -P [redacted: sqlcmd-password]"],
    ["7z a -phunter2 x.7z src", "7z a -p[redacted: archive-password] x.7z src"],
    ["sshpass -p hunter2 ssh -p 22 a", "sshpass -p [redacted: sshpass-password] ssh -p 22 a"],
    ["sshpass -v -phunter2 ssh a", "sshpass -v -p[redacted: sshpass-password] ssh a"],
    ["docker login -u a -p hunter2 r.io", "docker login -u a -p [redacted: login-password] r.io"],
    ["curl -u ann:hunter2 https://a.io", "curl -u ann:[redacted: curl-password] https://a.io"],
    ["curl -sSu 'ann:hun ter2' a.io", "curl -sSu 'ann:[redacted: curl-password]' a.io"],
    ["curl a.io --user=ann:hunter2", "curl a.io --user=ann:[redacted: curl-password]"],
    ['curl -H "X-Api-Key: hunter" x', 'curl -H "X-Api-Key: [redacted: header-secret]" x'],
    ["curl -H X-Auth-Token:hunter x", "curl -H X-Auth-Token:[redacted: header-secret] x"],
    [
      'curl -H "Authorization: Basic YTpi" x',
      'curl -H "Authorization: Basic [redacted: header-secret]" x',
    ],
    ["curl -H 'Cookie: a=1; sid=hunter' x", "curl -H 'Cookie: [redacted: cookie-header]' x"],
    [
      "git clone https://hunter2@github.com/a/b",
      "git clone https://[redacted: url-token]@github.com/a/b",
    ],
  ])("%j", (text, expected) => {
    expect(redactCommand(redactCommand(text))).toBe(redactCommand(text));
    if (expected === undefined) expect(redactCommand(text)).not.toContain(TOKEN.slice(0, 12));
    else expect(redactCommand(text)).toBe(expected);
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
    "mkdir -p deep/folder && mysql -e 'select 1'",
    "mysql -u me -p shop",
    "docker run -d --name mongo -p 27017:27017 mongo:7",
    "gh auth login -p https",
    "fix mysql tests: mvn -pl core -am verify",
    "docker exec mysql ls -print",
    "auth login page: mkdir -p src/pages",
    "grep -h 'token: foo' x",
    "mysql -P 3306 --protocol=tcp",
    "mysql -e 'select 1' && mkdir -pv deep",
    "mysql -p$DB_PASSWORD",
    "ssh -p 22 ann@host",
    "sshpass -f file ssh -p 22 host",
    "sshpass -e ssh -p 22 host",
    "docker run -p 80:80 -u 1000:1000 login",
    "docker run login -p 80:80",
    "docker login -u a --password-stdin",
    "docker login -p $TOKEN r.io",
    "mongosh -u me -p --host db",
    "curl -u ann https://a.io:8080/x",
    "curl -u $USER:$PASSWORD a.io",
    "curl -o out.json https://a.io && docker run -u node:node x",
    'curl -H "Content-Type: application/json" -H "Accept: text/plain" x',
    'curl -H "X-Api-Key: $KEY" x',
    "https://git@github.com/a/b",
    "https://ann@bitbucket.org/team/x",
    "https://contoso2024@dev.azure.com/contoso2024/x",
    "ssh://git@github.com/a/b",
  ])("leaves %j as it is", (text) => {
    expect(redactCommand(text)).toBe(text);
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

describe("a secret in disguise", () => {
  const HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  const WORD = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD5fG7kL3nR8tV";

  it.each([
    [`\u001b[31m${TOKEN}\u001b[0m`, TOKEN],
    [`\u001b[31m${TOKEN}\u001b[0mrest`, TOKEN],
    [`\u001b]0;${TOKEN}\u0007`, TOKEN],
    [`${TOKEN.slice(0, 12)}\u200b${TOKEN.slice(12)}`, TOKEN.slice(12)],
    [`x${TOKEN} _${TOKEN}`, TOKEN],
    ["pass\u200bword: hunter2", "hunter2"],
    ["pass\u001b[1mword\u001b[0m=hunter2", "hunter2"],
    ["password：hunter2", "hunter2"],
    ["DB_PASS=hunter", "hunter"],
    ["PW=hunter pw=hunter2 SSH_PW='hunter'", "hunter"],
    ["pass: hunter2", "hunter2"],
    [`hf_${WORD.slice(0, 34)}`, WORD.slice(0, 20)],
    ["AccountName=shop;AccountKey=hunter==;EndpointSuffix=a", "hunter"],
    [`https://hooks.slack.com/services/T01/B02/${WORD.slice(0, 12)}`, WORD.slice(0, 12)],
    [`123456789:AA${WORD.slice(0, 33)}`, WORD.slice(0, 33)],
    [`api.telegram.org/bot123456789:AA${WORD.slice(0, 33)}/send`, WORD.slice(0, 33)],
    [`dop_v1_${HEX}`, HEX],
    [`xdop_v1_${HEX}`, HEX],
    [`dop_v1_${"0123456789abcdef".repeat(4)}`, "abcdef"],
    [`hf_abcdefgh${WORD.slice(0, 26)}`, "abcdefgh"],
    ["Cookie: sessionid=hunter", "hunter"],
    ["Set-Cookie: a=1; sid=hunter; Path=/", "hunter"],
  ])("%j is found", (text, secret) => {
    const once = redact(text);
    expect(once).not.toContain(secret);
    expect(once).toContain("[redacted: ");
    expect(redact(once)).toBe(once);
  });

  it.each([
    "\u001b[31mred\u001b[0m and a zero\u200bwidth space, ｆｕｌｌ width：x",
    "tests pass: 1234, fail: 5",
    "pass=1234 fail=0",
    "pass: 98.5% of 120ms",
    "two_pass=true",
    "bypass: the checks of v12",
    "pass: the word to the next",
    "cookie: read it from the browser",
    "the cookie parser in src/cookie.ts: fixed",
    "https://hooks.slack.com/services/…",
    "weights_and_a-task-proj-with-a-long-name-that-has-many-many-many-words",
    "12:30:AM, 2024-01-01T10:00:00Z, 127.0.0.1:8080",
    "accountKeyRotation and the access key of the door",
  ])("leaves %j as it is", (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("a command that a workflow gets back", () => {
  it.each([
    "mysql -phunter2 shop",
    "docker login -u a -p hunter2 r.io",
    "curl -u ann:hunter2 a.io",
  ])("%s stays as it is", (text) => {
    expect(redact(text)).toBe(text);
    expect(redactValue({ commands: [text] })).toEqual({ commands: [text] });
  });
});

describe("a text that was made to be slow", () => {
  it.each([
    "curl ",
    "curl -uuu ",
    "mysql ",
    "mysql -p ",
    "docker login -p ",
    " -H key",
    "eyJ",
    "ghp_",
    "\u001b[",
    "\u001b]",
    "\u200bpass",
    "pass=",
    "cookie:a=",
    "cookie:a=b;",
    "hooks.slack.com/a/",
    "https://a1",
  ])("of %j is done soon", (piece) => {
    const text = piece.repeat(Math.ceil(2 ** 19 / piece.length));
    // A pattern that is not linear takes minutes, and the test is ended.
    expect(redactCommand(text).length).toBeGreaterThan(0);
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
      ["curl", "-s", "-u", "ann:hunter2 and more", "https://a.io"],
      ["curl", "-s", "-u", "ann:[redacted: curl-password]", "https://a.io"],
    ],
    [
      ["sshpass", "-p", "hunter2", "ssh", "-p", "22", "a"],
      ["sshpass", "-p", "[redacted: sshpass-password]", "ssh", "-p", "22", "a"],
    ],
    [
      ["curl", "-H", "X-Api-Key: hunter", "-H", "Accept: text/plain"],
      ["curl", "-H", "X-Api-Key: [redacted: header-secret]", "-H", "Accept: text/plain"],
    ],
    [
      ["docker", "run", "-p", "80:80", "x"],
      ["docker", "run", "-p", "80:80", "x"],
    ],
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
