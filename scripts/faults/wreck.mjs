// What an agent may do to a project between a checkpoint and a rollback.
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Of every three files the first is overwritten and the second deleted; and there is a new one.
 * @param {string} project @param {Iterable<string>} paths one character per byte @param {string | undefined} fresh a folder that is made
 */
export function wreckFiles(project, paths, fresh) {
  let count = 0;
  for (const path of paths) {
    const full = Buffer.from(`${project}/${path}`, "latin1");
    const stat = lstatSync(full, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    const turn = count++ % 3;
    if (turn === 2) continue;
    rmSync(full);
    if (turn === 0) writeFileSync(full, `wrecked ${count}\n`);
  }
  if (fresh === undefined) return;
  mkdirSync(join(project, fresh));
  writeFileSync(join(project, fresh, "new.txt"), "new\n");
}
