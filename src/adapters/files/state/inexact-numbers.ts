/** Numbers that are written with more digits than a reader of JSON keeps. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** True when a number of the text has more digits than JSON's readers keep. */
export function hasInexactNumber(text: string): boolean {
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) continue;
    const digits = token.replace(/[eE].*$/, "").replaceAll(/[-.]|^-?0+/g, "");
    if (digits.replace(/0+$/, "").length > 15 && !isKept(token)) return true;
  }
  return false;
}

function isKept(token: string): boolean {
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(Number(token));
  return String(Number(token)) === token;
}
