/** The text at the beginning of a git bundle: its version, commits that the reader must have, and refs. */
import { hexLength, type HashName } from "../object-hash.ts";
import { refusal } from "./refusal.ts";

export interface BundleRef {
  readonly name: string;
  readonly oid: string;
}

export interface BundleHeader {
  readonly hash: HashName;
  readonly basis: readonly string[];
  readonly refs: readonly BundleRef[];
}

/** A hundred thousand refs fit in. */
export const LONGEST_HEADER = 16 * 1024 * 1024;
const END = "\n\n";

export function encodeHeader(header: BundleHeader): string {
  const first =
    header.hash === "sha1" ? "# v2 git bundle\n" : "# v3 git bundle\n@object-format=sha256\n";
  const lines = [
    ...header.basis.map((oid) => `-${oid} \n`),
    ...header.refs.map(({ oid, name }) => `${oid} ${name}\n`),
  ];
  return `${first}${lines.join("")}\n`;
}

/** `start` is the beginning of the file, at most `LONGEST_HEADER` of it. */
export function parseHeader(start: Buffer): { header: BundleHeader; packAt: number } {
  const [magic] = /^# v[23] git bundle\n/.exec(start.toString("latin1", 0, 20)) ?? [];
  if (magic === undefined) throw refusal("it is not a git bundle");
  const end = start.indexOf(END);
  if (end < 0) throw refusal("its list of refs is cut off");
  const lines = start.toString("latin1", magic.length, end).split("\n");
  let hash: HashName = "sha1";
  const basis: string[] = [];
  const refs: BundleRef[] = [];
  for (const line of lines) {
    if (line.startsWith("@")) hash = objectFormat(line);
    else if (line.startsWith("-")) basis.push(oidOf(line.slice(1).split(" ", 1)[0] ?? "", hash));
    else refs.push({ oid: oidOf(line.split(" ", 1)[0] ?? "", hash), name: afterSpace(line) });
  }
  return { header: { hash, basis, refs }, packAt: end + END.length };
}

function objectFormat(line: string): HashName {
  if (line === "@object-format=sha1") return "sha1";
  if (line === "@object-format=sha256") return "sha256";
  throw refusal(`it needs ${JSON.stringify(line)}, which is not supported`);
}

function oidOf(text: string, hash: HashName): string {
  if (/^[0-9a-f]+$/.test(text) && text.length === hexLength(hash)) return text;
  throw refusal(`its list of refs has no object id at ${JSON.stringify(text.slice(0, 80))}`);
}

function afterSpace(line: string): string {
  const space = line.indexOf(" ");
  return space < 0 ? "" : line.slice(space + 1);
}
