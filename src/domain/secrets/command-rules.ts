/**
 * Passwords in command lines, as people and agents type them: which option it is depends on the program, since `-p` means a port,
 * a folder's parents or a password. For texts only.
 */
import type { SecretRule } from "./secret-rules.ts";

/** To the closing quote, also where a user's name stands between, or to the next space; never what was taken out before. */
const USER = String.raw`[^\s:"'/\x60]{0,100}:`;
const VALUE = String.raw`(?<secret>(?!\[redacted)(?:(?<="(?:${USER})?)[^"\n]{1,300}|(?<='(?:${USER})?)[^'\n]{1,300}|(?:(?!\[redacted)[^\s"'\x60]){1,300}))`;
/** The words between a program and its option, in the same command. */
const WORDS = String.raw`(?=\s)(?:[^\n|;&]|&(?!&)){0,200}?\s`;
/** Where a command begins: prose that names a program is none. */
const BEGINS = String.raw`(?:^|[|;&("'\n\x60]|\b(?:sudo|env|time|nohup|xargs|exec(?:\s{1,3}-\S{1,30}){0,4}\s{1,3}\S{1,100}|[A-Z_]{1,40}=\S{0,60})\s)\s{0,3}(?:\S{0,100}\/)?`;
/** Between an option and its value: another option is none. */
const NEXT = String.raw`(?:\s{1,3}|=)(?!-)["']?`;
const ATTACHED = `["']?`;

/** Case counts: `-p` is a password and `-P` a port. */
function commandRule(
  id: string,
  title: string,
  keywords: readonly string[],
  before: string,
): SecretRule {
  return {
    id,
    title,
    keywords,
    pattern: new RegExp(`(?<before>${BEGINS}${before})${VALUE}`),
    // A pair of numbers is one of ports or of ids.
    isLikely: (value) => !/^[\d.]+:\d+$/.test(value),
    textsOnly: true,
    commandsOnly: true,
  };
}

const PASSWORD = "password of a command";

export const COMMAND_RULES: readonly SecretRule[] = [
  {
    id: "told-secret",
    title: "password or key in a sentence",
    keywords: ["pass", "pw", "secret", "token", "credential", "key"],
    // As people tell it to an agent: "the password is …", "use the token …". A word with a digit in it, or every sentence about passwords would lose one.
    pattern:
      /(?<before>\b(?:passwor[dt]|passwd|passphrase|pwd|secret|token|credentials?|key)s?\s{1,3}(?:(?:is|are|was|to|as|with)\s{1,3})?["']?)(?<secret>(?!\[redacted)(?=[^\s"'`]{0,100}\d)[^\s"'`[\]]{6,300})/i,
    textsOnly: true,
    commandsOnly: true,
  },
  commandRule(
    "mysql-password",
    PASSWORD,
    ["mysql", "mariadb"],
    String.raw`(?:mysql|mariadb)[\w-]{0,20}(?:\.exe)?${WORDS}-p(?=\S)${ATTACHED}`,
  ),
  commandRule(
    "mongo-password",
    PASSWORD,
    ["mongo"],
    String.raw`mongo(?:sh|dump|restore|export|import|stat|top|files)?${WORDS}-p${NEXT}`,
  ),
  commandRule("redis-password", PASSWORD, ["redis-cli"], String.raw`redis-cli${WORDS}-a${NEXT}`),
  commandRule(
    "sqlcmd-password",
    PASSWORD,
    ["sqlcmd"],
    String.raw`sqlcmd${WORDS}-P\s{0,3}(?!-)["']?`,
  ),
  commandRule("archive-password", PASSWORD, ["7z"], String.raw`7z[ar]?${WORDS}-p(?=\S)${ATTACHED}`),
  commandRule(
    "sshpass-password",
    PASSWORD,
    ["sshpass"],
    // Its own options only: what follows is the command that it starts.
    String.raw`sshpass(?:\s{1,3}-[a-oq-z]\S{0,60}){0,4}\s{1,3}-p\s{0,3}["']?`,
  ),
  commandRule(
    "login-password",
    PASSWORD,
    ["login"],
    String.raw`(?:docker|podman|nerdctl|buildah|skopeo|oras|az|acr|oc|cf)\s{1,3}login${WORDS}-p${NEXT}`,
  ),
  commandRule(
    "curl-password",
    PASSWORD,
    ["curl"],
    String.raw`curl(?:\.exe)?${WORDS}(?:-[a-zA-Z]{0,5}[uU]\s{0,3}|--(?:proxy-)?user(?:\s{1,3}|=))["']?${USER}`,
  ),
  {
    id: "header-secret",
    title: "key in a header",
    keywords: ["-h"],
    pattern:
      /(?<before>(?:^|\s)(?:-H|--header)(?:\s{0,3}|=)\\?["']?[\w-]{0,40}(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|[Aa]uth|[Aa]uthorization|[Pp]assword):\s{0,3}(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey)\s{1,3})?)(?<secret>(?!(?:[Bb]earer|[Bb]asic|[Tt]oken|[Aa]pi[Kk]ey)\s)(?:(?!\[redacted)[^\s"'`\\]){1,2000})/,
    textsOnly: true,
    commandsOnly: true,
  },
  {
    id: "cookie-header",
    title: "cookie",
    keywords: ["-h"],
    pattern:
      /(?<before>(?:^|\s)(?:-H|--header)(?:\s{0,3}|=)\\?["']?[Cc]ookie:\s{0,3})(?<secret>(?!\[redacted)[^"'`\\\n]{1,4000})/,
    textsOnly: true,
    commandsOnly: true,
  },
  {
    id: "url-token",
    title: "address with a token",
    keywords: ["://"],
    // Whoever is named again after the host is its user.
    pattern:
      /(?<before>\bhttps?:\/\/)(?<secret>[\w.~+-]{7,255})(?=@(?![^\s/]{1,100}\/\k<secret>(?:\/|$)))/i,
    isLikely: (value) => value.length >= 20 || (/\d/.test(value) && /[a-z]/i.test(value)),
    textsOnly: true,
    commandsOnly: true,
  },
];
