/** Knows private keys in a text that comes line by line: of a line alone nobody can tell that it is one of a key. */

const BEGIN = /-----BEGIN [^\n]{0,40}PRIVATE KEY[^\n]{0,20}-----/;
/** What a key consists of, also quoted in code, with line breaks spelled out. */
export const KEY_BODY = /^[\s"'+,]*[A-Za-z0-9+/=_-]{16,}(?:\\[nr])*[\s"'+,]*$/;
const LAST_OF_BODY = /^[\s"'+,]*[A-Za-z0-9+/=]+(?:\\[nr])*[\s"'+,]*$/;
const HEADER = /^\s*(?:[\w-]{3,20}: .{0,200})?$/;

export class KeyLines {
  #isInside = false;

  get isInside(): boolean {
    return this.#isInside;
  }

  /** Given one line after the other: true when it is not to be shown. */
  hides(line: string): boolean {
    if (BEGIN.test(line)) {
      this.#isInside = !line.includes("-----END ");
      return false;
    }
    if (!this.#isInside) return false;
    this.#isInside = KEY_BODY.test(line) || LAST_OF_BODY.test(line) || HEADER.test(line);
    return this.#isInside;
  }
}
