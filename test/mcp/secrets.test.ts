/** Every way that a client has to read something, tried on a project full of secrets. */
import { describe, expect, it } from "vitest";
import { OTHER_TOKEN, TOKEN } from "../secrets/fake-secrets.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { field, items, text } from "../support/json.ts";
import { withClient, type TestClient } from "./client.ts";

const KEY_LINES = Array.from(
  { length: 14 },
  (_, at) =>
    `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${String.fromCharCode(65 + at)}KcwggSjAgEAAoIBAQC7VJTUt9Us8cK`,
);
const KEY = [
  ["-----BEGIN", "PRIVATE KEY-----"].join(" "),
  ...KEY_LINES,
  ["-----END", "PRIVATE KEY-----"].join(" "),
  "",
].join("\n");

/** Nothing of these may be in what a client gets. */
const SECRETS = [TOKEN, OTHER_TOKEN, "hunter2-of-env", "hunter2-of-yml", ...KEY_LINES];

function expectNone(got: unknown): void {
  const all = JSON.stringify(got);
  for (const secret of SECRETS) expect(all).not.toContain(secret);
}

/** Committed, tracked and changed, untracked, in messages, in the state of a session and in a workflow. */
async function fill({ repo }: RuleProject): Promise<void> {
  await repo.write(".env", "PASSWORD=hunter2-of-env\n");
  await repo.write("config.yml", "database:\n  password: hunter2-of-yml\n  name: app\n");
  await repo.write("src.ts", `export const token = "${TOKEN}";\nexport const x = 1;\n`);
  await repo.write("notes.txt", `${KEY}end\n`);
  await repo.git("add", "-fA");
  await repo.commit(`uses ${TOKEN}`);
  await repo.write(".env", "PASSWORD=hunter2-of-env\nMORE=1\n");
  await repo.write("config.yml", "database:\n  password: hunter2-of-yml\n  name: application\n");
  await repo.write("src.ts", `export const token = "${OTHER_TOKEN}";\nexport const x = 2;\n`);
  // The patch shows lines in the middle of the key only.
  await repo.write(
    "notes.txt",
    `${KEY.replace(KEY_LINES[7] ?? "", `${KEY_LINES[7] ?? ""}x`)}end\n`,
  );
  await repo.write("fresh.txt", `token: ${OTHER_TOKEN}\n`);
  await repo.write("fine.txt", "nothing to hide\n");
}

async function everything(client: TestClient, id: string): Promise<unknown[]> {
  const calls: readonly (readonly [string, Record<string, unknown>])[] = [
    ["create_checkpoint", { reason: `because of ${TOKEN}`, metrics: { token: OTHER_TOKEN } }],
    ["list_checkpoints", { all: true }],
    ["show_checkpoint", { checkpoint: id }],
    ["show_checkpoint", { checkpoint: "latest" }],
    ["diff_checkpoints", { from: id }],
    ["diff_checkpoints", { from: id, patch: true }],
    ["diff_checkpoints", { from: id, to: "latest", patch: true }],
    ["diff_checkpoints", { from: id, patch: true, paths: [".env"] }],
    ["diff_checkpoints", { from: id, patch: true, paths: ["notes.txt", "src.ts", "fresh.txt"] }],
    ["preview_rollback", { checkpoint: id }],
    ["roll_back", { checkpoint: id, reason: TOKEN }],
    ["create_checkpoint", { state: { token: TOKEN } }],
    ["save_session", { state: { token: TOKEN } }],
    ["save_session", { state_label: TOKEN, metrics: { api_key: OTHER_TOKEN } }],
    ["show_session", {}],
    ["list_sessions", { all: true }],
    ["show_checkpoint", { checkpoint: TOKEN }],
    ["show_session", { session: TOKEN }],
    ["guard", { command: ["sh", "-c", `cat .env notes.txt src.ts; echo ${TOKEN}; exit 1`] }],
  ];
  const got: unknown[] = [];
  for (const [name, given] of calls) got.push(await client.call(name, given));
  for (const uri of [
    "waymark://checkpoints",
    `waymark://checkpoint/${id}`,
    "waymark://sessions",
    "waymark://session/worktree-main",
  ]) {
    got.push(await client.client.readResource({ uri }));
  }
  got.push(await client.client.listResources());
  return got;
}

describe("secrets of the project", () => {
  it("[R113] are in no answer", async () => {
    await withSeed(async (project) => {
      await fill(project);
      // Two commits are between this and now, and HEAD's message holds a token.
      await project.repo.git("stash", "-qu");
      const id = await project.create();
      await project.repo.git("stash", "pop", "-q");
      await project.ok("session", "start", "--type", "implement", "--description", `with ${TOKEN}`);
      await withClient(project.repo, { args: ["--allow-commands"] }, async (client) => {
        const got = await everything(client, id);
        expectNone(got);
      });
    });
  });

  it("[R113] are withheld from patches with a note, and the rest of the patch is there", async () => {
    await withSeed(async (project) => {
      await fill(project);
      await project.repo.git("stash", "-qu");
      const id = await project.create();
      await project.repo.git("stash", "pop", "-q");
      await withClient(project.repo, {}, async (client) => {
        const { document } = await client.ok("diff_checkpoints", { from: id, patch: true });
        const patch = text(document, "patch");
        expect(patch).toContain("+nothing to hide");
        expect(patch).toContain("+  name: application");
        expect(patch).toContain("password: [redacted: assigned-secret]");
        const notShown = items(document, "not_shown").map((one) => field(one, "path"));
        expect(new Set(notShown)).toEqual(new Set([".env", "fresh.txt", "notes.txt", "src.ts"]));
      });
    });
  });
});

describe("the end of what a failed command wrote", () => {
  it("[R113] shows no piece of a secret that began before the end", async () => {
    await withSeed(async ({ repo }) => {
      await repo.write("key.pem", KEY);
      await withClient(repo, { args: ["--allow-commands"] }, async (client) => {
        for (const line of [
          "cat key.pem; printf 'word %.0s' $(seq 620); exit 1",
          `echo ${TOKEN}; printf 'x%.0s' $(seq 3995); exit 1`,
          `seq 40000; cat key.pem; seq 23500; exit 1`,
        ]) {
          const reply = await client.ok("guard", { command: ["sh", "-c", line] });
          const shown = text(reply.document, "failed_output");
          expect(shown).not.toBe("");
          for (const secret of [...KEY_LINES, TOKEN])
            expect(reply.said).not.toContain(secret.slice(-12));
          for (const secret of [...KEY_LINES, TOKEN])
            expect(shown).not.toContain(secret.slice(-12));
        }
      });
    });
  });
});

describe("text of the repository", () => {
  it("[R113] has no control characters, and long lists and texts are cut and say so", async () => {
    await withSeed(async (project) => {
      const id = await project.create();
      const { repo } = project;
      await repo.write("esc\u001b[31m.txt", "x\u001b]0;title\u0007\u202Etxt\n");
      for (let at = 0; at < 260; at++) await repo.write(`many/${at}.txt`, `${at}\n`);
      await repo.write("long.txt", `${"word ".repeat(20_000)}\n`);
      await repo.git("commit", "-q", "--allow-empty", "-m", "evil \u001b[2J\u202E subject");
      await withClient(repo, {}, async (client) => {
        const reply = await client.ok("diff_checkpoints", { from: id, patch: true });
        const all = JSON.stringify(reply);
        expect(all).not.toMatch(/\\u001b|\\u0007|\u202E|[\u0080-\u009f]/);
        expect(all).toContain("\\\\u{1b}");
        expect(items(reply.document, "files").length).toBeLessThan(262);
        expect(items(reply.document, "left_out").join("\n")).toMatch(/files: \d+ of 262 entries/);
        expect(field(reply.document, "totals", "files")).toBe(262);
        expect(all.length).toBeLessThan(200_000);
        const plan = await client.ok("preview_rollback", { checkpoint: id });
        expect(items(plan.document, "left_out").join("\n")).toMatch(/plan.remove: \d+ of/);
      });
    });
  });
});
