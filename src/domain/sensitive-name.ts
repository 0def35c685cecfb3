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
  ".vault-token",
  "kubeconfig",
  "credentials.json",
  "secrets.yml",
  "secrets.yaml",
  "secrets.json",
]);
const HARMLESS_ENV = new Set([".env.example", ".env.sample", ".env.template", ".env.dist"]);
const NAME_PATTERNS = [
  /^\.env\./,
  /\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx|ovpn|tfvars)$/,
  /\.tfstate(?:\..*)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/,
  /^service-account.*\.json$/,
];
const PATH_PATTERNS = [
  /(?:^|\/)\.aws\/credentials$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
  /(?:^|\/)\.(?:ssh|gnupg)\//,
];

export function isSensitiveName(path: BytePath): boolean {
  const lower = path.toLowerCase();
  const name = nameOf(lower as BytePath);
  if (HARMLESS_ENV.has(name)) return false;
  return (
    NAMES.has(name) ||
    NAME_PATTERNS.some((pattern) => pattern.test(name)) ||
    PATH_PATTERNS.some((pattern) => pattern.test(lower))
  );
}

/** The same with more names: patterns of the setting `secrets.patterns`, which ignore case. */
export function sensitiveNames(patterns: readonly string[]): (path: BytePath) => boolean {
  const more = pathMatcher(patterns, { ignoreCase: true });
  return (path) => isSensitiveName(path) || more(path, false);
}
