/** Somebody puts a link in the place of a folder while a rollback writes into it: nothing is ever written where the link leads. */
import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack, Prepared } from "../attack.ts";
import { complaints } from "../in-process.ts";

const FILES = 12;

/** As quick as a shell can: the folder away, a link to the outside in its place, and back; never itself through a link (-T). */
const SWAP = `while :; do mv -T dir moved && ln -sT ../outside dir; rm -f dir; mv -T moved dir; done`;

export const swappedFolders: Attack = {
  id: "symlink race",
  what: "rollbacks while a folder of theirs is swapped for a link that leads out of the project, again and again",
  weight: 10,
  async prepare(scene): Promise<Prepared> {
    const { repo } = scene;
    const outside = join(repo.base, "outside");
    writeFileSync(join(outside, "kept"), "outside\n");
    for (let n = 0; n < FILES; n++) await repo.write(`dir/swapped/${n}.txt`, `first ${n}\n`);
    const made = await scene.run("create", "--force", "-m", "to go back to");
    const { id } = (made.json as { checkpoint: { id: string } }).checkpoint;
    let done = 0;
    return {
      async attempt(dice) {
        settle(repo.root);
        mkdirSync(join(repo.root, "dir/swapped"), { recursive: true });
        for (let n = 0; n < FILES; n++) {
          if (dice.below(3) > 0) writeFileSync(join(repo.root, `dir/swapped/${n}.txt`), "second\n");
          else rmSync(join(repo.root, `dir/swapped/${n}.txt`), { force: true });
        }
        const around = scene.around();
        // A process group of its own: the shell ends with what it has just started.
        const swapper = spawn("sh", ["-c", SWAP], {
          cwd: repo.root,
          stdio: "ignore",
          detached: true,
        });
        const gone = new Promise((resolve) => swapper.on("close", resolve));
        const called = await scene.run("rollback", id, "--yes");
        if (swapper.pid !== undefined) process.kill(-swapper.pid, "SIGKILL");
        await gone;
        if (called.code === 0) done += 1;
        const wrong = [...complaints(called)];
        const now = scene.around();
        if (now !== around) wrong.push(`something outside of the project was written: ${now}`);
        return wrong;
      },
      detail: () => `${done} of the rollbacks went through, the others were refused or taken back`,
    };
  },
};

/** However the swapping ended: the folder is there again. */
function settle(root: string): void {
  const [dir, moved] = [join(root, "dir"), join(root, "moved")];
  if (lstatSync(dir, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(dir);
  if (!existsSync(moved)) return;
  if (existsSync(dir)) rmSync(moved, { recursive: true });
  else renameSync(moved, dir);
}
