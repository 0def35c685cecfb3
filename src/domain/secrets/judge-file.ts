/**
 * Whether a file is a secret, by its name and its content: surely, and then no checkpoint holds it, or possibly, and then checkpoints hold it
 * and it stays on this machine.
 *
 * A file that is left out is not protected, so `sure` asks for much: a name that nothing else has, or a credential in a file that is there for
 * credentials. A token in a source file may be a sample, and the work around it is worth more than the bytes on a disk that has them anyway.
 */
import type { NameKind } from "../sensitive-name.ts";
import { findSecret } from "./find-secret.ts";
import { isOnlyPlaceholder, isPlaceholder } from "./placeholder.ts";
import { FILE_RULES, ruleIsExact } from "./secret-rules.ts";
import type { SecretReason } from "./secret-text.ts";

export interface SecretVerdict {
  /** Otherwise it is only suspected. */
  readonly isSure: boolean;
  readonly why: SecretReason;
}

/** Whether the content is worth a look. `scan`: also that of files whose names say nothing. */
export function isLookedInto(kind: NameKind, scan: boolean): boolean {
  return kind !== "sure" && (scan || kind !== "ordinary");
}

/** The id of the rule that finds a secret in the first bytes of a file, one character for each byte; undefined: none does. */
export function ruleInFile(kind: NameKind, text: string, isBinary = false): string | undefined {
  if (kind === "values") return isBinary ? FILE_RULES.values.id : ruleInValues(text);
  if (kind === "key") return ruleInKey(text);
  if (isBinary) return undefined;
  if (isPrivateKey(text)) return FILE_RULES.key.id;
  if (isServiceAccount(text)) return FILE_RULES.account.id;
  const found = findSecret(text, true);
  return kind === "client" ? (found ?? passwordOfClient(text)) : found;
}

/** From the name and what `ruleInFile` found. */
export function verdictOf(kind: NameKind, ruleId: string | undefined): SecretVerdict | undefined {
  const byName = { reason: "sensitive" } as const;
  if (kind === "sure") return { isSure: true, why: byName };
  if (ruleId === undefined)
    return kind === "suspected" ? { isSure: false, why: byName } : undefined;
  if (kind === "values") return { isSure: ruleId !== FILE_RULES.unclearValues.id, why: byName };
  if (ruleId === FILE_RULES.unclearKey.id) return { isSure: false, why: byName };
  const isSure =
    kind === "key" ||
    kind === "client" ||
    ruleId === FILE_RULES.key.id ||
    ruleId === FILE_RULES.account.id ||
    (kind === "suspected" && ruleIsExact(ruleId));
  return { isSure, why: { reason: "sensitive_content", detail: ruleId } };
}

/** Lines of direnv that set up an environment and have no values of their own. */
const DIRENV =
  /^(?:use|layout|dotenv|source_up|source_env|source_url|PATH_add|MANPATH_add|path_add|watch_file|watch_dir|strict_env|unset|env_vars_required|(?:dotenv|source_up|source_env)_if_exists|if|then|else|fi|has)(?:\s|$)/;

function ruleInValues(text: string): string | undefined {
  const values = text.split(/\r?\n/).flatMap(valueOfLine);
  if (!values.every(isPlaceholder)) return FILE_RULES.values.id;
  return values.every(isOnlyPlaceholder) ? undefined : FILE_RULES.unclearValues.id;
}

/** A line that is no assignment counts: it may be the rest of a value. */
function valueOfLine(given: string): string[] {
  const line = given.trim();
  if (line === "" || line.startsWith("#") || DIRENV.test(line)) return [];
  const value = /^(?:export\s+)?[\w.-]+\s{0,8}[=:]\s{0,8}(.*)$/s.exec(line)?.[1];
  if (value === undefined) return [line];
  const bare = value.replace(/^(["'])(.*)\1(?:\s+#.*)?$/s, "$2").replace(/(?:^|\s+)#.*$/s, "");
  return bare === "" ? [] : [bare];
}

const PRIVATE_PEM = /-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----/;

/** All of the file is a key, whatever it is called: nothing but other blocks and comments is before it. */
function isPrivateKey(text: string): boolean {
  const start = PRIVATE_PEM.exec(text)?.index;
  if (start === undefined || findSecret(text.slice(start)) !== "private-key") return false;
  return !/[^\s]/.test(
    text
      .slice(0, start)
      .replaceAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----[A-Za-z0-9+/=\s]*-----END \1-----/g, "")
      .replaceAll(/^#.*$/gm, ""),
  );
}

/** What Google and Firebase hand out for a program that signs in by itself. */
function isServiceAccount(text: string): boolean {
  return (
    /^\s*\{/.test(text) &&
    /"type"\s{0,4}:\s{0,4}"service_account"/.test(text) &&
    findSecret(text) === "private-key"
  );
}

/** How a sequence begins whose length has more than one byte. */
const DER = ["0\u0081", "0\u0082", "0\u0084"] as const;

/** `*.key` and `*.pem`: slides of Keynote are an archive, and certificates and public keys are for everybody. */
function ruleInKey(text: string): string | undefined {
  if (text.trim() === "" || text.startsWith("PK\u0003\u0004")) return undefined;
  if (findSecret(text) === "private-key") return FILE_RULES.key.id;
  // One of PKCS #1 or #8 in DER, or a random value on a line of its own, as Rails has it.
  if (DER.some((start) => text.startsWith(start))) return FILE_RULES.key.id;
  if (/^\s*[A-Za-z0-9+/_=-]{16,512}\s*$/.test(text) && !isPlaceholder(text.trim()))
    return FILE_RULES.key.id;
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]{1,40})-----/g)].map(
    ([, name = ""]) => name,
  );
  const isPublic = blocks.length > 0 && blocks.every((name) => !name.includes("PRIVATE"));
  return isPublic ? undefined : FILE_RULES.unclearKey.id;
}

/** In the settings of npm, Yarn, twine, MySQL: what is called a token or a password is one, however short. */
const CLIENT_PASSWORD =
  /^[^\n#;]{0,200}?(?:_auth(?:token)?|npmauth(?:token|ident)|_?passw(?:or)?d)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?([^\s"'#;]{3,2000})/gim;

function passwordOfClient(text: string): string | undefined {
  for (const [, value = ""] of text.matchAll(CLIENT_PASSWORD)) {
    if (!isPlaceholder(value)) return FILE_RULES.clientPassword.id;
  }
  return undefined;
}
