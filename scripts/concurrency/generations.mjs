// Files that tell whether a capture is one moment: an agent replaces all of its files by the next generation, one after the other,
// and only then asks for a checkpoint.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blobId } from "../faults/fingerprint.mjs";

const FILES = 6;

export class Generations {
  /** The last generation that was begun, and the last one that is all there. */
  begun = 0;
  done = 0;

  /** @param {string} project @param {string} name @param {string} side a folder outside of the project */
  constructor(project, name, side) {
    this.project = project;
    this.name = name;
    this.side = side;
    mkdirSync(join(project, name), { recursive: true });
  }

  next() {
    this.begun++;
    for (let file = 0; file < FILES; file++) {
      const temporary = join(this.side, `${this.name}-${file}`);
      writeFileSync(temporary, this.#content(file, this.begun));
      renameSync(temporary, join(this.project, this.#path(file)));
    }
    this.done = this.begun;
  }

  /**
   * What is wrong with what a checkpoint holds of these files, if it was taken between two moments.
   * @param {ReadonlyMap<string, string>} held blob ids by path @param {number} least done when it began @param {number} most begun when it ended
   */
  problems(held, least, most) {
    /** @type {string[]} */ const wrong = [];
    for (let file = 0; file < FILES; file++) {
      const found = held.get(this.#path(file));
      let generation = most;
      while (
        generation >= least &&
        (generation === 0 ? undefined : blobId(this.#content(file, generation))) !== found
      )
        generation--;
      if (generation < least)
        wrong.push(`${this.#path(file)} is of no generation from ${least} to ${most}`);
    }
    return wrong;
  }

  /** @param {number} file */
  #path(file) {
    return `${this.name}/${file}.txt`;
  }

  /** @param {number} file @param {number} generation */
  #content(file, generation) {
    return Buffer.from(`${this.name} ${file} generation ${generation}\n`.repeat(20));
  }
}
