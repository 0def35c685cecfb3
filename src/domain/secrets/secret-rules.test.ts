import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findSecret } from "./find-secret.ts";
import { SECRET_RULES, secretRulesVersion, secretTitle } from "./secret-rules.ts";

/** Random-looking characters that are the same in every run. */
function noise(length: number, alphabet = LETTERS + DIGITS, seed = 4_711): string {
  let state = seed;
  let text = "";
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += alphabet.charAt(state % alphabet.length);
  }
  return text;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const HEX = "0123456789abcdef";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const block = (kind: string, body: string): string =>
  `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;

/** The examples have this mark in them so that no scanner stops at this file. */
const plain = (example: string): string => example.replaceAll("¦", "");

const FOUND: Readonly<Record<string, readonly string[]>> = {
  "private-key": [
    block("RSA PRIVATE¦ KEY", `MIIE${noise(60)}\n${noise(64)}`),
    block(
      "OPENSSH PRIVATE¦ KEY",
      `b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB${noise(44)}`,
    ),
    block("PGP PRIVATE¦ KEY BLOCK", `Version: GnuPG v2\n\n${noise(64)}`),
    block(
      "EC PRIVATE¦ KEY",
      `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${noise(32, HEX)}\n\n${noise(64)}`,
    ),
    `{"private_key": "-----BEGIN PRIVATE¦ KEY-----\\n${noise(64)}\\n${noise(64)}\\n"}`,
    `const pem = "-----BEGIN PRIVATE¦ KEY-----\\n" +\n        "${noise(64)}\\n";`,
  ],
  "age-key": ["AGE-SECRET¦-KEY-1" + noise(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")],
  "aws-access-key": [`id = ${"AKIA" + noise(16, BASE32)}`, `"${"ASIA" + noise(16, BASE32)}"`],
  "aws-secret-key": [
    `aws_secret_access_key = ${noise(40, LETTERS + DIGITS + "/+")}`,
    `AWS_SECRET_ACCESS_KEY="${noise(40)}"`,
  ],
  "github-token": [`token: ${"ghp¦_" + noise(36)}`, "github¦_pat_" + noise(22) + "_" + noise(59)],
  "gitlab-token": ["glpat¦-" + noise(20)],
  "slack-token": [
    "xoxb¦-" + noise(12, DIGITS) + "-" + noise(12, DIGITS) + "-" + noise(24),
    "xapp¦-1-¦A" + noise(9, BASE32) + "-" + noise(12, DIGITS) + "-" + noise(64, HEX),
  ],
  "slack-webhook": [
    "https://hooks.slack" +
      ".com/services/T" +
      noise(8, BASE32) +
      "/B" +
      noise(8, BASE32) +
      "/" +
      noise(24),
  ],
  "stripe-key": ["sk¦_live_" + noise(24), "rk¦_test_" + noise(40), "whsec¦_" + noise(32)],
  "google-key": ["AIza" + noise(35)],
  "google-oauth": ["GOCSPX¦-" + noise(28), "ya29¦." + noise(80)],
  "azure-key": [
    `DefaultEndpointsProtocol=https;AccountName=a;Account¦Key=${noise(86)}==`,
    noise(3) + "8Q~" + noise(34),
  ],
  "npm-token": ["npm¦_" + noise(36), `//npm.example.com/:_auth¦Token=${noise(36)}`],
  "pypi-token": ["pypi¦-AgEIcHlwaS5vcmc" + noise(60)],
  "rubygems-key": ["rubygems¦_" + noise(48, HEX)],
  "docker-token": ["dckr¦_pat_" + noise(27)],
  "anthropic-key": ["sk¦-ant-api03-" + noise(93) + "AA"],
  "openai-key": ["sk¦-proj-" + noise(48), "sk¦-" + noise(20) + "T3Blbk¦FJ" + noise(20)],
  "openrouter-key": ["sk¦-or-v1-" + noise(64, HEX)],
  "tailscale-key": ["tskey¦-auth-k" + noise(10) + "CNTRL-" + noise(32), "tskey¦-" + noise(16, HEX)],
  "huggingface-token": ["hf¦_" + noise(34, LETTERS)],
  "model-provider-key": ["gsk¦_" + noise(52), "r8¦_" + noise(37)],
  "sendgrid-key": ["SG¦." + noise(22) + "." + noise(43)],
  "mail-provider-key": ["// mailgun\nkey¦-" + noise(32, HEX)],
  "twilio-key": ["twilio.sid = 'SK" + noise(32, HEX) + "'", `TWILIO_AUTH_¦TOKEN=${noise(32, HEX)}`],
  "cloud-provider-token": ["dop¦_v1_" + noise(64, HEX), "dapi" + noise(32, HEX)],
  "vault-token": ["hvs¦." + noise(95)],
  "shopify-token": ["shpat¦_" + noise(32, HEX)],
  "service-token": ["lin¦_api_" + noise(40), "glsa¦_" + noise(32) + "_" + noise(8, HEX)],
  "chat-bot-token": ["telegram: " + noise(9, "123456789") + ":AA" + noise(33)],
  jwt: ["eyJhbGciOiJIUzI1NiJ9¦.eyJ" + noise(60) + "." + noise(43)],
  "url-password": [
    `postgres://app:${noise(16)}@db.shop.io:5432/main`,
    `https://me:${noise(20)}@git.shop.io/x.git`,
    "redis:¦//:hunter2secret@cache:6379",
    `postgres://u:${noise(20)}@db.example.com/x`,
    `postgres://app:${noise(16)}@db:5432/test`,
  ],
  "curl-password": [
    "curl -fsSu¦ deploy:hunter2-of-shop https://shop.io",
    'curl --user "me@shop.io:hunter2-of-shop" https://shop.io',
  ],
  "xml-password": [
    "<password>hunter2-of-shop</password>",
    "<Password>\n  hunter2-of-shop\n</Password>",
  ],
  "authorization-header": [`curl -H "Authorization: Bearer ${noise(32)}" https://api.shop.io`],
  "assigned-secret": [
    `const password = "${noise(20)}";`,
    `{"client_secret": "${noise(32)}"}`,
    `api_key: '${noise(32, HEX)}'`,
    'password = "2eQqgpf¦Yzqkqwnru"',
    `password: "xkqzjvwp¦mtrhgbnc"`,
  ],
  "settings-secret": [
    `api_key: ${noise(32)}`,
    `  secret_token: ${noise(40)}`,
    `[db]\npassword = ${noise(24)}  # of the shop`,
    `spring.datasource.password=${noise(24)}`,
    `secret_key_base: ${noise(128, HEX)}\r`,
    `- token: ${noise(40, HEX)}`,
  ],
  "environment-secret": [
    `PORT=1\nexport DB_PASSWORD=${noise(24)}\nHOST=a\n`,
    `SESSION_SECRET=${noise(32, HEX)}\r\n`,
  ],
};

const NOT_FOUND: readonly string[] = [
  block("PRIVATE¦ KEY", "x".repeat(64)),
  "",
  '"access_token":"2YotnFZFEjr1zCsicMWpAA"',
  "Authorization: Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW",
  "an ordinary text about passwords, tokens and secret keys",
  `-----BEGIN PRIVATE¦ KEY-----`,
  `if (text.includes("-----BEGIN RSA PRIVATE¦ KEY-----")) throw new Error("no keys here, please");`,
  block("PUBLIC KEY", noise(64)),
  block("CERTIFICATE", noise(64)),
  "AKIA¦IOSFODNN7EXAMPLE",
  "AKIA¦X".repeat(16),
  "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY¦EXAMPLEKEY",
  "ghp¦_¦x".repeat(36),
  "ghp¦_¦short",
  "ghp¦_<your token>",
  "sk¦_live_...",
  "task-project-with-a-long-name-that-goes-on-and-on-and-on-and-on",
  "risk-adjusted",
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4ifQ." +
    noise(43),
  "postgres://postgres:postgres@localhost:5432/test",
  `postgres://app:${noise(16)}@localhost:5432/test`,
  "postgres://app:apppassword1@db:5432/test",
  "redis://:password@cache:6379",
  "redis://:redis@cache:6379",
  "amqp://shop:rabbit2024@queue:5672",
  "postgres://user:password@db.shop.io/main",
  "https://user:${PASSWORD}@git.shop.io/x.git",
  "https://user:$TOKEN@git.shop.io/x.git",
  "https://me:mypassword12@example.com/",
  "http://user:pass123word@proxy.example.com:8080",
  "api_key: your-api-key-goes-here-in-2024",
  "secret: my-app-secret-20240101-production",
  "token: ${{ secrets.DEPLOY_TOKEN_2024_PRODUCTION }}",
  "password: !vault shop/production/database/v2",
  "secret_token: config.application.secretToken1x2",
  "  token: AuthenticationTokenProvider2Factory",
  "access_key = settings.AWS_S3_ACCESS_KEY_ID_2",
  'password = "correcthorsebattery"',
  'secret = "applicationConfigurationSecret"',
  'token = "TypeScriptStringLiteral"',
  "http://localhost:3000/@scope/name",
  "git@github.com:owner/name.git",
  "sk¦-or-v1-...",
  "tskey¦-auth-xxxxxxxxxxxxxxxx",
  "the tskey¦-prefixed-keys-of-tailscale",
  "curl -u user:password https://shop.io",
  'curl -u "$USER:$PASSWORD" https://shop.io',
  "curl -u ${USER}:${TOKEN} https://shop.io",
  "curl https://shop.io # -u",
  "<password>${env.PASSWORD}</password>",
  "<password>{jSMOWnoPFgsHVpMvz5VrIt5kRbzGpI8u+9EF1iFQyJQ=}</password>",
  "<password>postgres</password>",
  'SECRET_KEY = "django-insecure-k3j8d1xq0z7h2m4n5"',
  "https://shop.io:8443/a@b",
  'password = "changeme"',
  'password: "hunter2"',
  'password = "${DB_PASSWORD_2024_primary}"',
  'const token = "<your-api-token-goes-here-1234>";',
  "secret: process.env.SESSION_SECRET_2024",
  'const tokenKey = "user_login_token_2";',
  'errors.token = "errors.token.expired.2024";',
  'passwordToken: "reset-password-template-v2-final"',
  'const TOKEN = "550e8400-e29b-41d4-a716-446655440000";',
  'secret = "/run/secrets/db_password_2024"',
  'token: "https://auth.shop.io/oauth2/token/v2"',
  'access_key = "0123456789abcdef0123456789abcdef"',
  'token = "' + "ab".repeat(20) + '1"',
  "const token = readToken2FromTheEnvironmentFile;",
  "TOKEN=$(cat /run/secrets/token_2024)",
  "API_KEY=your-api-key-goes-here-12345",
  "SECRET=",
  "KEYBOARD_LAYOUT=qwertz12345abcdef",
  "integrity sha512-" + noise(86) + "==",
  'resolved "https://npm.example.com/a/-/a-1.0.0.tgz#' + noise(40, HEX) + '"',
  `commit ${noise(40, HEX)}`,
  `Authorization: Bearer \${token}`,
  "Authorization: Bearer <token>",
];

describe("the rules for secrets", () => {
  it("have examples, all of them", () => {
    const forFiles = SECRET_RULES.filter((rule) => rule.textsOnly !== true).map(({ id }) => id);
    expect(Object.keys(FOUND).toSorted()).toEqual(forFiles.toSorted());
    expect(new Set(forFiles).size).toBe(forFiles.length);
  });

  for (const [id, examples] of Object.entries(FOUND)) {
    it.each(examples.map((text) => [text]))(`find ${id} in a file`, (text) => {
      expect(findSecret(`first line\n${plain(text)}\nlast line\n`, true)).toBe(id);
    });
  }

  it.each(NOT_FOUND.map((text) => [text]))("find nothing in %j", (text) => {
    expect(findSecret(`first line\n${plain(text)}\nlast line\n`, true)).toBeUndefined();
  });

  it("have keywords that can be searched for, none of them the beginning of another", () => {
    const all = [...new Set(SECRET_RULES.flatMap(({ keywords }) => keywords))];
    expect(all.filter((word) => word === "" || word !== word.toLowerCase())).toEqual([]);
    const hidden = all.filter((word) =>
      all.some((other) => other !== word && other.startsWith(word)),
    );
    expect(hidden).toEqual([]);
  });

  it("have patterns without state, and names for people", () => {
    expect(SECRET_RULES.filter(({ pattern }) => pattern.flags.includes("g"))).toEqual([]);
    expect(SECRET_RULES.filter(({ id }) => secretTitle(id) === id)).toEqual([]);
    expect(secretTitle("of-a-later-version")).toBe("of-a-later-version");
    expect(secretRulesVersion()).toContain("github-token");
  });

  it.each([
    ["api_key: ", 32, LETTERS + DIGITS, ""],
    ["api_key: ", 32, HEX, ""],
    ["secret_token: ", 40, LETTERS + DIGITS, ""],
    ['password = "', 16, LETTERS + DIGITS, '"'],
    ["postgres:¦//u:", 20, LETTERS + DIGITS, "@db.example.com/x"],
  ])("find nearly every random value after %j", (before, length, alphabet, after) => {
    const texts = Array.from({ length: 300 }, (_, at) =>
      plain(`${before}${noise(length, alphabet, 1_000_003 * (at + 1))}${after}`),
    );
    const missed = texts.filter((text) => findSecret(`a: 1\n${text}\nb: 2\n`) === undefined);
    expect(missed.length).toBeLessThanOrEqual(12);
  });

  it("find a token wherever it stands", () => {
    const token = plain(`ghp¦_${noise(36)}`);
    const around = fc.string({ unit: fc.constantFrom(...Array.from(" \n\t\"'`=:,;()[]{}<>/.")) });
    fc.assert(
      fc.property(around, around, (before, after) => {
        expect(findSecret(before + token + after)).toBe("github-token");
      }),
    );
  });
});
