/** File names that usually hold secrets. Untracked files of these names are not captured unless asked for. */
import { nameOf, type BytePath } from "./byte-path.ts";
import { pathMatcher } from "./path-pattern.ts";

const NAMES = new Set([
  ".env",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".htpasswd",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".s3cfg",
  ".boto",
  ".dockercfg",
  ".vault-token",
  "kubeconfig",
  "credentials.json",
  "credentials.tfrc.json",
  "application_default_credentials.json",
]);
const NAME_PATTERNS = [
  /^\.env[-_.]/,
  /^(?:local|dev|development|test|stag(?:e|ing)|prod|production|private|secrets?)\.env$/,
  /^secrets\.(?:ya?ml|json|toml)$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|keytab|ppk|kdbx|ovpn)$/,
  /\.tfvars(?:\.json)?$/,
  /\.tfstate(?:\..*)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /^service-account.*\.json$/,
  /^client_secret.*\.json$/,
];
/** Settings without values, which people share: `.env.example`, `.env.local.sample`, `template.env`. */
const TEMPLATE =
  /^\.env[-_.](?:.*[-_.])?(?:example|sample|template|dist|schema|defaults?)$|(?:^|[-_.])(?:example|sample|template|dist)\.env$/;
const PATH_PATTERNS = [
  /(?:^|\/)\.aws\/credentials$/,
  /(?:^|\/)\.(?:cargo|gem)\/credentials(?:\.toml)?$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
  /(?:^|\/)\.config\/gh\/hosts\.yml$/,
  // One of a chart is a template, which has no values.
  /^(?!(?:.*\/)?templates\/).*(?<=^|\/)secret\.ya?ml$/,
  /(?:^|\/)\.(?:ssh|gnupg)\//,
];

/** What editors, patch tools and careful people add to the name of a file whose earlier content they keep. */
const BACKUP_ENDING = /.(?:~|\.~\d{1,6}~|\.(?:bak|backup|old|orig|save))$/;
const EMACS_AUTOSAVE = /^#(.+)#$/;
const VIM_SWAP = /^\.(.+)\.sw[a-p]$/;

export function isSensitiveName(path: BytePath): boolean {
  const lower = path.toLowerCase() as BytePath;
  const given = nameOf(lower);
  const folder = lower.slice(0, lower.length - given.length);
  const name = withoutBackup(given);
  if (TEMPLATE.test(name)) return false;
  return (
    NAMES.has(name) ||
    NAME_PATTERNS.some((pattern) => pattern.test(name)) ||
    PATH_PATTERNS.some((pattern) => pattern.test(folder + name))
  );
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

/** The same with more names: patterns of the setting `secrets.patterns`, which ignore case. */
export function sensitiveNames(patterns: readonly string[]): (path: BytePath) => boolean {
  const more = pathMatcher(patterns, { ignoreCase: true });
  return (path) => isSensitiveName(path) || more(path, false);
}
