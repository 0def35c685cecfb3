/** Programs that a repository's own config and hooks would run; each leaves its name in a file when it does. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempRepository } from "../support/temp-repository.ts";

const hookNames = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "p4-changelist",
  "p4-post-changelist",
  "p4-pre-submit",
  "p4-prepare-changelist",
  "post-applypatch",
  "post-checkout",
  "post-commit",
  "post-index-change",
  "post-merge",
  "post-receive",
  "post-rewrite",
  "post-update",
  "pre-applypatch",
  "pre-auto-gc",
  "pre-commit",
  "pre-merge-commit",
  "pre-push",
  "pre-rebase",
  "pre-receive",
  "prepare-commit-msg",
  "proc-receive",
  "push-to-checkout",
  "reference-transaction",
  "sendemail-validate",
  "update",
] as const;

/** Settings whose value is a command line. */
const commandSettings = [
  "core.fsmonitor",
  "core.sshCommand",
  "core.pager",
  "core.editor",
  "core.askPass",
  "core.gitProxy",
  "core.alternateRefsCommand",
  "pager.status",
  "pager.log",
  "pager.diff",
  "sequence.editor",
  "credential.helper",
  "gpg.program",
  "gpg.ssh.program",
  "gpg.ssh.defaultKeyCommand",
  "diff.external",
  "diff.canary.command",
  "diff.canary.textconv",
  "merge.canary.driver",
  "filter.canary.clean",
  "filter.canary.smudge",
  "filter.canary.process",
  "interactive.diffFilter",
  "trailer.canary.command",
  "uploadpack.packObjectsHook",
  "difftool.canary.cmd",
  "mergetool.canary.cmd",
  "browser.canary.cmd",
] as const;

const aliases = ["status", "rev-parse", "ls-files", "wm", "hash-object", "fast-import"] as const;

export interface Canaries {
  readonly count: number;
  /** The canaries that sang since the last look. */
  readonly sang: () => Promise<string[]>;
}

/** Hooks, filters, editors, pagers, signing, aliases, a promisor remote by ssh: everything fires into one file. */
export async function installCanaries(repo: TempRepository): Promise<Canaries> {
  const cage = join(repo.base, "canaries");
  await writeFile(cage, "");
  const script = join(repo.base, "canary.sh");
  // Never reads standard input and fails, so that nothing waits for it or takes its output.
  await repo.write("../canary.sh", `#!/bin/sh\necho "$1" >> '${cage}'\nexit 1\n`, 0o755);
  for (const name of hookNames) {
    const hook = `#!/bin/sh\necho 'hook ${name}' >> '${cage}'\nexit 1\n`;
    await repo.write(`.git/hooks/${name}`, hook, 0o755);
  }
  for (const name of commandSettings) {
    await repo.git("config", name, `${script} ${name}`);
  }
  for (const name of aliases) {
    await repo.git("config", `alias.${name}`, `!${script} alias.${name}`);
  }
  const settings: Readonly<Record<string, string>> = {
    "filter.canary.required": "true",
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "push.gpgSign": "true",
    "log.showSignature": "true",
    "core.fsmonitorHookVersion": "2",
    "remote.origin.url": "ssh://example.invalid/repository",
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
  };
  for (const [name, value] of Object.entries(settings)) {
    await repo.git("config", name, value);
  }
  return {
    count: hookNames.length + commandSettings.length + aliases.length,
    sang: async () => {
      const lines = (await readFile(cage, "utf8")).split("\n").filter((line) => line !== "");
      await writeFile(cage, "");
      return [...new Set(lines)].sort();
    },
  };
}
