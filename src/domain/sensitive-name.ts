/** What the name of a file says about secrets in it. `src/domain/secrets/judge-file.ts` puts it together with the content. */
import { nameOf, type BytePath } from "./byte-path.ts";
import { pathMatcher } from "./path-pattern.ts";

/**
 * - `sure`: a secret whatever it holds.
 * - `values`: variables of an environment: a secret as soon as one of them has a value.
 * - `key`: a key, a certificate, or slides: the content tells.
 * - `client`: settings of a program, which may have a token or password among them. Without one it is an ordinary file.
 * - `suspected`: usually holds secrets; surely only with a token in it.
 * - `ordinary`: the name says nothing.
 */
export type NameKind = "sure" | "values" | "key" | "client" | "suspected" | "ordinary";

const NAMES: ReadonlyMap<string, NameKind> = new Map([
  ...kinds("sure", [
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".mylogin.cnf",
    ".s3cfg",
    ".boto",
    ".dockercfg",
    ".vault-token",
    "rclone.conf",
    "credentials.tfrc.json",
    "application_default_credentials.json",
    "serviceaccountkey.json",
  ]),
  ...kinds("values", [".env", ".envrc"]),
  ...kinds("client", [".npmrc", ".yarnrc.yml", ".pypirc", ".my.cnf", "settings.xml"]),
  ...kinds("suspected", ["kubeconfig", "credentials.json"]),
  // Every React Native project has it, with a password that everybody knows.
  ...kinds("ordinary", ["debug.keystore"]),
]);

/** The first that matches counts. */
const PATTERNS: readonly (readonly [NameKind, RegExp])[] = [
  // Settings without values, which people share: `.env.example`, `.env.local.sample`, `template.env`.
  [
    "ordinary",
    /^\.env(?:rc)?[-_.](?:.*[-_.])?(?:example|sample|template|dist|schema|defaults?)$|(?:^|[-_.])(?:example|sample|template|dist)\.env$/,
  ],
  // Frameworks ask to commit these.
  ["suspected", /^\.env[-_.](?:test(?:ing)?|ci|e2e|dev(?:elopment)?)$/],
  ["suspected", /^(?:dev|development|test)\.env$/],
  ["values", /^\.env[-_.]|^(?:local|stag(?:e|ing)|prod|production|private|secrets?)\.env$/],
  ["sure", /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$)(?![a-z])/],
  ["sure", /\.(?:p12|pfx|jks|keystore|keytab|ppk|kdbx|ovpn)$/],
  ["sure", /^\.?vault[-_]pass(?:word|wd)?(?:\.txt)?$/],
  ["sure", /firebase-adminsdk.*\.json$/],
  ["sure", /^client_secret.*\.json$/],
  ["key", /\.(?:pem|key)$/],
  ["suspected", /^secrets\.(?:ya?ml|json|toml)$/],
  ["suspected", /\.tfvars(?:\.json)?$/],
  ["suspected", /\.tfstate(?:\..*)?$/],
  ["suspected", /^service-?account.*\.json$/],
];

/** Of the whole path. */
const PATH_PATTERNS: readonly (readonly [NameKind, RegExp])[] = [
  ["sure", /(?:^|\/)\.aws\/credentials$/],
  ["sure", /(?:^|\/)\.(?:cargo|gem)\/credentials(?:\.toml)?$/],
  ["sure", /(?:^|\/)\.config\/gh\/hosts\.yml$/],
  ["sure", /(?:^|\/)\.gnupg\//],
  ["suspected", /(?:^|\/)\.ssh\/(?!known_hosts$|config$|authorized_keys$|.*\.pub$)/],
  ["suspected", /(?:^|\/)\.docker\/config\.json$/],
  ["suspected", /(?:^|\/)\.kube\/config$/],
  // One of a chart is a template, which has no values.
  ["suspected", /^(?!(?:.*\/)?templates\/).*(?<=^|\/)secret\.ya?ml$/],
];

function kinds(kind: NameKind, names: readonly string[]): [string, NameKind][] {
  return names.map((name) => [name, kind]);
}

/** What editors, patch tools, file managers and careful people add to the name of a file whose earlier content they keep. */
const BACKUP_ENDING =
  /.(?:~|\.~\d{1,6}~|\.(?:bak|backup|old|orig|save)| copy(?: \d{1,6})?| \d{1,6}| \(\d{1,6}\)| \((?:another )?copy\))$/;
const EMACS_AUTOSAVE = /^#(.+)#$/;
const VIM_SWAP = /^\.(.+)\.sw[a-p]$/;

export function nameKind(path: BytePath): NameKind {
  const lower = path.toLowerCase() as BytePath;
  const given = nameOf(lower);
  const folder = lower.slice(0, lower.length - given.length);
  const name = withoutBackup(given);
  const matching = ([, pattern]: readonly [NameKind, RegExp]): boolean => pattern.test(name);
  return (
    NAMES.get(name) ??
    PATTERNS.find(matching)?.[0] ??
    PATH_PATTERNS.find(([, pattern]) => pattern.test(folder + name))?.[0] ??
    "ordinary"
  );
}

/** Whether the name alone is a reason not to show the content to others. */
export function isTelling(kind: NameKind): boolean {
  return kind !== "ordinary" && kind !== "client";
}

/** Copies are made of copies, but a name that was made to be slow is not peeled for ever. */
const MOST_ENDINGS = 4;

/** The name of the file that it is a copy of. */
function withoutBackup(given: string): string {
  let name = given;
  for (let round = 0; round < MOST_ENDINGS; round++) {
    const ending = BACKUP_ENDING.exec(name);
    const original =
      ending === null
        ? (EMACS_AUTOSAVE.exec(name) ?? VIM_SWAP.exec(name))?.[1]
        : name.slice(0, ending.index + 1);
    if (original === undefined) return name;
    name = original;
  }
  return name;
}

/** The same with more names that are sure: patterns of the setting `secrets.patterns`, which ignore case. */
export function nameKinds(patterns: readonly string[]): (path: BytePath) => NameKind {
  const more = pathMatcher(patterns, { ignoreCase: true });
  return (path) => (more(path, false) ? "sure" : nameKind(path));
}

/** Names that are a reason by themselves, with those patterns. */
export function sensitiveNames(patterns: readonly string[]): (path: BytePath) => boolean {
  const kindOf = nameKinds(patterns);
  return (path) => isTelling(kindOf(path));
}
