/** Names of one kind in a workflow file. Those that differ only in the case of letters are the same to most readers. */
import type { Place } from "../config-check.ts";
import type { FileProblems } from "./file-problems.ts";

export class TakenNames {
  readonly #what: string;
  readonly #problems: FileProblems;
  /** By name: the line that has it. */
  readonly #taken = new Map<string, number>();

  constructor(what: string, problems: FileProblems) {
    this.#what = what;
    this.#problems = problems;
  }

  /** Reports it when it is taken. A name that was wrong, and so is empty, is not looked at. */
  add(name: string, place: Place): void {
    if (name === "") return;
    const folded = name.normalize("NFC").toLowerCase();
    const before = this.#taken.get(folded);
    if (before === undefined) this.#taken.set(folded, place.line);
    else
      this.#problems.add(
        place,
        `there is already ${article(this.#what)} ${name}, in line ${before}`,
      );
  }
}

function article(what: string): string {
  return /^[aeiou]/.test(what) ? `an ${what}` : `a ${what}`;
}
