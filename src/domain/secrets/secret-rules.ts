/**
 * What secrets look like: token shapes that their makers publish, and few general ones.
 *
 * A file that matches stays on this machine, and is not captured at all where its name says the same (`judge-file.ts`). Each rule has
 * a shape that hardly anything else has, or asks for randomness besides. `secret-rules.test.ts` has examples for each.
 */
import { COMMAND_RULES } from "./command-rules.ts";

export interface SecretRule {
  /** Goes into documents; never changes its meaning. */
  readonly id: string;
  /** For people, after "looks like a secret: ". */
  readonly title: string;
  /** One of these is in every match, in lower case: texts without any are not searched. */
  readonly keywords: readonly string[];
  /**
   * No `g`, and no part that can match in more than one way: a file may be made to be slow. The group `secret` is the value, the
   * group `before` what comes before it; without groups all of the match is the value.
   */
  readonly pattern: RegExp;
  /** Bits for each character of the value that there must be at least. */
  readonly entropy?: number;
  /** More that the value has to be. */
  readonly isLikely?: (value: string, match: string) => boolean;
  /** Only a guess from names and randomness: no maker publishes this shape. */
  readonly isGuess?: boolean;
  /** Values of this kind have long runs of one character, which make others a placeholder. */
  readonly mayRepeat?: boolean;
  /** Too wide for files, where a mistake keeps work from leaving; right for texts, where it costs a word. */
  readonly textsOnly?: boolean;
  /** Only for files of a project: a workflow gets its own commands back as they were. */
  readonly filesOnly?: boolean;
  /** Wider still: only for what somebody typed as a command or a reason, of which nothing else is made. */
  readonly commandsOnly?: boolean;
}

/** Raised when matching changes without a change of the table below, so that remembered verdicts are forgotten. */
const MATCHING_VERSION = 4;

const RANDOM = 3;

export const SECRET_RULES: readonly SecretRule[] = [
  {
    id: "private-key",
    title: "private key",
    keywords: ["private key"],
    // The body in base64, with line breaks as they are or as `\n` in a string; a key that is only mentioned has none.
    pattern:
      /(?<before>-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){0,8}(?:[\w-]{3,20}: [^\n]{0,200}\n\s{0,8}){0,4}(?:[\s"'+,]|\\[nr]){0,60})(?<secret>[A-Za-z0-9+/=]{24}[A-Za-z0-9+/=\s\\"',]*)/,
    entropy: RANDOM,
    mayRepeat: true,
  },
  {
    id: "age-key",
    title: "age secret key",
    keywords: ["age-secret-key-1"],
    pattern: /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b/,
  },
  {
    id: "aws-access-key",
    title: "AWS access key",
    keywords: ["akia", "asia"],
    pattern: /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/,
    entropy: RANDOM,
  },
  {
    id: "aws-secret-key",
    title: "AWS secret access key",
    keywords: ["aws"],
    pattern:
      /(?<before>aws[\w.-]{0,20}(?:secret|key)[\w.-]{0,20}["']?\s{0,5}[:=]\s{0,5}["']?)(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/i,
    entropy: 4,
  },
  {
    id: "github-token",
    title: "GitHub token",
    keywords: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    pattern: /\b(?:gh[pousr]_\w{36,255}|github_pat_[A-Za-z0-9]{22}_\w{59,255})/,
    entropy: RANDOM,
  },
  {
    id: "gitlab-token",
    title: "GitLab token",
    keywords: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "gloas-"],
    pattern: /\bgl(?:pat|dt|rt|cbt|ptt|soat|oas)-[\w-]{20,300}/,
    entropy: RANDOM,
  },
  {
    id: "slack-token",
    title: "Slack token",
    keywords: ["xox", "xapp-"],
    pattern:
      /\b(?:xox[abeoprs]-(?:\d-)?\d{8,14}-[A-Za-z0-9-]{10,150}|xapp-\d-[A-Z0-9]{8,14}-\d{10,14}-[a-f0-9]{32,80})/,
    entropy: RANDOM,
  },
  {
    id: "slack-webhook",
    title: "Slack webhook address",
    keywords: ["hooks.slack.com"],
    pattern:
      /hooks\.slack\.com\/(?:services\/T[A-Z0-9]{6,12}\/B[A-Z0-9]{6,12}|workflows\/T[A-Z0-9]{6,12}\/A[A-Z0-9]{6,12}\/\d{10,20})\/[A-Za-z0-9]{20,40}/,
    entropy: RANDOM,
  },
  {
    id: "stripe-key",
    title: "Stripe key",
    keywords: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
    pattern: /\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{20,247}|whsec_[A-Za-z0-9+/]{32,64})/,
    entropy: RANDOM,
  },
  {
    id: "google-key",
    title: "Google API key",
    keywords: ["aiza"],
    pattern: /\bAIza[\w-]{35}(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "google-oauth",
    title: "Google OAuth secret",
    keywords: ["gocspx-", "ya29."],
    pattern: /\b(?:GOCSPX-[\w-]{28}(?![\w-])|ya29\.[\w-]{60,300})/,
    entropy: RANDOM,
  },
  {
    id: "azure-key",
    title: "Azure key",
    keywords: ["accountkey=", "sharedaccesskey=", "q~"],
    pattern:
      /(?:Account|SharedAccess)Key=(?:[A-Za-z0-9+/]{86}==|[A-Za-z0-9+/]{43}=)|(?<![\w~.-])[A-Za-z0-9_~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/,
    entropy: RANDOM,
  },
  {
    id: "npm-token",
    title: "npm token",
    keywords: ["npm_", "_authtoken"],
    pattern:
      /\bnpm_[A-Za-z0-9]{36}\b|(?<before>_authToken\s{0,3}=\s{0,3}["']?)(?<secret>[\w./+=-]{20,300})/,
    entropy: RANDOM,
  },
  {
    id: "pypi-token",
    title: "PyPI token",
    keywords: ["pypi-ageichlwas5vcmc", "pypi-agendgvzdc5wexbplm9yzw"],
    pattern: /\bpypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[\w-]{50,1000}/,
  },
  {
    id: "rubygems-key",
    title: "RubyGems key",
    keywords: ["rubygems_"],
    pattern: /\brubygems_[a-f0-9]{48}\b/,
    entropy: RANDOM,
  },
  {
    id: "docker-token",
    title: "Docker Hub token",
    keywords: ["dckr_pat_", "dckr_oat_"],
    pattern: /\bdckr_[po]at_[\w-]{27,32}(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "anthropic-key",
    title: "Anthropic key",
    keywords: ["sk-ant-"],
    pattern: /\bsk-ant-[a-z]{3,5}\d{2}-[\w-]{60,200}/,
    entropy: RANDOM,
  },
  {
    id: "openai-key",
    title: "OpenAI key",
    keywords: ["sk-proj-", "sk-svcacct-", "sk-admin-", "t3blbkfj"],
    pattern: /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{40,250}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/,
    entropy: RANDOM,
  },
  {
    id: "openrouter-key",
    title: "OpenRouter key",
    keywords: ["sk-or-v1-"],
    pattern: /\bsk-or-v1-[a-f0-9]{64}\b/,
    entropy: RANDOM,
  },
  {
    id: "tailscale-key",
    title: "Tailscale key",
    keywords: ["tskey-"],
    pattern: /\btskey-(?:[a-z]{3,10}-)?[A-Za-z0-9]{10,32}(?:-[A-Za-z0-9]{16,64})?(?![\w-])/,
    entropy: RANDOM,
    isLikely: (value) => /\d/.test(value),
  },
  {
    id: "huggingface-token",
    title: "Hugging Face token",
    keywords: ["hf_", "api_org_"],
    pattern: /\b(?:hf_|api_org_)[A-Za-z0-9]{34}\b/,
    entropy: RANDOM,
  },
  {
    id: "model-provider-key",
    title: "key of a model provider",
    keywords: ["gsk_", "xai-", "r8_", "pplx-"],
    pattern:
      /\b(?:gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{48})\b/,
    entropy: RANDOM,
  },
  {
    id: "sendgrid-key",
    title: "SendGrid key",
    keywords: ["sg."],
    pattern: /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "mail-provider-key",
    title: "key of a mail provider",
    keywords: ["xkeysib-", "mailgun", "mailchimp", "api.mailgun.net"],
    pattern: /\b(?:xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}|key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2})\b/,
    entropy: RANDOM,
  },
  {
    id: "twilio-key",
    title: "Twilio key",
    keywords: ["twilio"],
    pattern:
      /\bSK[0-9a-f]{32}\b|(?<before>twilio[\w.-]{0,20}(?:token|secret)[\w.-]{0,10}["']?\s{0,5}[:=]\s{0,5}["']?)(?<secret>[A-Za-z0-9]{32})\b/i,
    entropy: RANDOM,
  },
  {
    id: "cloud-provider-token",
    title: "token of a hosting provider",
    keywords: ["_v1_", "hrku-", "sbp_", "pscale_", "dapi", "fo1_", "dp."],
    pattern:
      /\b(?:do[opr]_v1_[a-f0-9]{64}|HRKU-[\w-]{36,60}|sbp_[a-f0-9]{40}|pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}|dapi[a-f0-9]{32}|fo1_[\w-]{43}|dp\.(?:pt|st|ct|sa)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "vault-token",
    title: "HashiCorp token",
    keywords: ["hvs.", "hvb.", "atlasv1"],
    pattern: /\b(?:hv[sb]\.[\w-]{90,300}|[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "shopify-token",
    title: "Shopify token",
    keywords: ["shpat_", "shpca_", "shppa_", "shpss_"],
    pattern: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b/,
    entropy: RANDOM,
  },
  {
    id: "service-token",
    title: "token of a service",
    keywords: ["lin_api_", "ntn_", "glsa_", "atatt3", "figd_", "pmak-", "phx_", "sntrys_"],
    pattern:
      /\b(?:lin_api_[A-Za-z0-9]{40}|ntn_[A-Za-z0-9]{43,50}|glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}|ATATT3[\w=-]{180,250}|figd_[\w-]{40}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|phx_[A-Za-z0-9]{43,50}|sntrys_[A-Za-z0-9+/=_]{80,300})(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "chat-bot-token",
    title: "token of a chat bot",
    keywords: ["telegram", "discord", "t.me"],
    pattern:
      /(?:(?<!\w)|(?<=\/bot))\d{8,10}:AA[\w-]{33}(?![\w-])|discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[\w-]{60,80}|(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/,
    entropy: RANDOM,
  },
  {
    id: "jwt",
    title: "JSON web token",
    keywords: ["eyj"],
    pattern: /\beyJ[A-Za-z0-9_-]{14,500}\.eyJ[A-Za-z0-9_-]{14,8000}\.[A-Za-z0-9_-]{20,1500}/,
    entropy: 4,
  },
  {
    id: "url-password",
    title: "address with a password",
    keywords: ["://"],
    pattern:
      /(?<before>:\/\/[^\s/:@"'`<>\\]{0,64}:)(?<secret>[^\s/:@"'`<>\\]{6,128})@[\w[-][\w.:[\]-]{2,120}/,
    entropy: 2.5,
    isLikely: isPasswordOfUrl,
    isGuess: true,
  },
  {
    id: "curl-password",
    title: "password of a command",
    keywords: ["curl"],
    // `-u user:password`; a variable in its place is none.
    pattern:
      /(?<before>\bcurl(?:\.exe)?(?=\s)(?:[^\n|;&\\]|\\\r?\n){0,200}?\s(?:-[a-zA-Z]{0,5}u\s{0,3}|--(?:proxy-)?user(?:\s{1,3}|=))["']?[^\s:"'/$`<>{}]{1,100}:)(?<secret>[^\s"'`$<>{}]{6,128})/,
    entropy: 2.5,
    isLikely: (value) => !SAMPLE_WORDS.test(value),
    isGuess: true,
    filesOnly: true,
  },
  {
    id: "xml-password",
    title: "password in XML",
    keywords: ["<password>"],
    // Maven puts one that it encrypted between braces.
    pattern: /(?<before><password>\s{0,8})(?<secret>[^\s<>${}]{6,200})\s{0,8}<\/password>/i,
    entropy: 2.5,
    isLikely: (value) => !SAMPLE_WORDS.test(value),
    isGuess: true,
  },
  {
    id: "authorization-header",
    title: "Authorization header",
    keywords: ["authorization"],
    pattern:
      /(?<before>\bauthorization["']?\s{0,3}[:=]\s{0,3}["'`]?(?:basic|bearer|token)\s{1,3})(?<secret>[\w.~+/=-]{20,2000})/i,
    entropy: 3.5,
    isLikely: (value) => /\d/.test(value) && /[a-z]/i.test(value),
    isGuess: true,
  },
  {
    id: "assigned-secret",
    title: "password or key in an assignment",
    keywords: ["pass", "pw", "secret", "token", "key"],
    pattern:
      /(?<before>(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|auth|secret|private|encryption|signing)[_-]?key)["']?\s{0,4}(?::=|=>|[:=])\s{0,4}["'`])(?<secret>[^\s"'`]{12,200})["'`]/i,
    entropy: RANDOM,
    isLikely: looksRandom,
    isGuess: true,
  },
  {
    id: "environment-secret",
    title: "password or key in a line of an environment file",
    keywords: ["pass", "pw", "secret", "token", "key"],
    pattern:
      /(?<before>^[ \t]{0,8}(?:export[ \t]{1,3})?(?:[A-Z0-9]{1,30}_){0,6}(?:PASSW(?:OR)?D|PASSPHRASE|PWD|SECRET|TOKEN|APIKEY|(?:API|ACCESS|AUTH|SECRET|PRIVATE|ENCRYPTION|SIGNING)_KEY)=)(?<secret>[^\s"'`#,;]{16,300})[ \t]{0,8}\r?$/m,
    entropy: RANDOM,
    isLikely: looksRandom,
    isGuess: true,
  },
  {
    id: "settings-secret",
    title: "password or key in a line of settings",
    keywords: ["pass", "pw", "secret", "token", "key"],
    // YAML and INI: the value is the rest of the line, without quotes.
    pattern:
      /(?<before>^[ \t]{0,40}(?:- )?(?:[\w.-]{0,40}[_.-])?(?:passw(?:or)?d|passphrase|pwd|secret|token|apikey|(?:api|access|auth|secret|private|encryption|signing)[_-]?key|(?:secret|auth|access|api)[_-]?token|secret_key_base)[ \t]{0,8}(?::[ \t]{1,8}|[ \t]{0,8}=[ \t]{0,8}))(?<secret>[\w+/=.~!@%^*-]{20,300})[ \t]{0,8}(?:#[^\n]{0,200})?\r?$/im,
    entropy: RANDOM,
    isLikely: (value) => RANDOM_RUN.test(value) && looksRandom(value),
    isGuess: true,
  },
  {
    id: "command-line-secret",
    title: "password or key on a command line",
    keywords: ["pass", "pw", "secret", "token", "credential", "key"],
    pattern:
      /(?<before>(?:^|\s)--?(?:[a-z0-9]{1,20}-){0,4}(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|auth|secret|private)-?key)(?:=|\s{1,3})["']?)(?<secret>[^\s"'`[\]-][^\s"'`[\]]{3,300})/i,
    textsOnly: true,
  },
  {
    id: "assigned-secret",
    title: "password or key in an assignment",
    keywords: ["pass", "pw", "secret", "token", "credential", "key"],
    pattern:
      /(?<before>(?:^|[\s"'{,;&?])(?:[a-z0-9]{1,30}_){0,6}(?:(?:pg|mysql|redis|ssh|db|root|user)?passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|auth|secret|private)[_-]?key)["']?(?:\s{0,2}=|\s{0,2}:(?=\s{0,2}["']?[^\s"']{0,40}[\d!#$%&*+?^~]))\s{0,2}["']?)(?<secret>[^\s"'`[\]&;]{4,300})/i,
    textsOnly: true,
  },
  {
    id: "assigned-secret",
    title: "password or key in an assignment",
    keywords: ["pass", "pw", "key"],
    // `pass` is also what a test does: a number after it is how many did.
    pattern:
      /(?<before>(?:^|[\s"'{,;&?])(?:(?:[a-z0-9]{1,30}_){0,6}(?:(?:pg|mysql|redis|ssh|db|root|user)?pass|pw)|(?:shared)?a(?:ccount|ccess)_?key)["']?(?:\s{0,2}=|\s{0,2}:(?=\s{0,2}["']?[^\s"']{0,40}[\d!#$%&*+?^~]))\s{0,2}["']?)(?<secret>[^\s"'`[\]&;]{4,300})/i,
    isLikely: (value, match) =>
      !/^(?:true|false|null|none|undefined)\b/i.test(value) &&
      !(/^.?pass\b/is.test(match) && /^\d+(?:[.,/%]\d*)*[a-z]{0,2}$/i.test(value)),
    textsOnly: true,
  },
  {
    id: "slack-webhook",
    title: "Slack webhook address",
    keywords: ["hooks.slack.com"],
    pattern:
      /(?<before>\bhooks\.slack\.com\/[a-z]{1,20}\/)(?<secret>(?=[\w-]{0,30}\d|[\w-]{1,30}\/)[\w/-]{8,200})/i,
    textsOnly: true,
  },
  {
    id: "chat-bot-token",
    title: "token of a chat bot",
    keywords: [":a"],
    pattern: /(?<!\d)\d{8,12}:A[\w-]{34}(?![\w-])/,
    entropy: RANDOM,
    mayRepeat: true,
    textsOnly: true,
  },
  {
    id: "cookie-header",
    title: "cookie",
    keywords: ["cookie"],
    pattern:
      /(?<before>\bcookie["']?\s{0,3}:\s{0,3}["']?)(?<secret>[\w.-]{1,100}=[^\s;"'`]{1,4000}(?:;\s{0,3}[\w.-]{1,100}=[^\s;"'`]{1,4000}){0,50})/i,
    textsOnly: true,
  },
  {
    id: "url-password",
    title: "address with a password",
    keywords: ["://"],
    pattern: /(?<before>:\/\/[^\s/:@"'`<>\\]{0,64}:)(?<secret>[^\s/@"'`<>\\]{1,128})(?=@)/,
    textsOnly: true,
  },
  {
    id: "authorization-header",
    title: "Authorization header",
    keywords: ["authorization", "bearer"],
    pattern:
      /(?<before>\b(?:authorization["']?\s{0,3}[:=]\s{0,3}["'`]?(?:[a-z]{3,12}\s{1,3})?|bearer\s{1,3}))(?<secret>[\w.~+/=-]{12,2000})/i,
    textsOnly: true,
  },
  ...COMMAND_RULES,
];

/** Words that nobody takes for a password of something that matters. */
const SAMPLE_WORDS =
  /^(?:passw(?:or)?d\d{0,4}|postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|guest|admin\d{0,4}|root\d{0,4}|user\d{0,4}|test\w{0,12}|secret\d{0,4}|letmein|qwerty\w{0,6}|dev(?:elopment)?|local\w{0,12}|docker|credentials?|token|passphrase)$/i;

/** Where a password of a test set-up is used: this machine. */
const THIS_MACHINE = /@(?:127\.[\d.]{1,11}|0\.0\.0\.0|\[::1\]|localhost)(?::\d{1,5})?$/i;

/** A neighbouring container, or a name that never leads anywhere. */
const NEAR_OR_NOWHERE =
  /@(?:[\w-]{1,63}|[\w.-]{1,100}\.(?:example|test|local|localhost|invalid|internal)|(?:[\w-]{1,63}\.){0,3}example\.(?:com|org|net))(?::\d{1,5})?$/i;

function isPasswordOfUrl(value: string, match: string): boolean {
  if (SAMPLE_WORDS.test(value) || match.startsWith(`://${value}:`)) return false;
  if (THIS_MACHINE.test(match)) return false;
  if (!NEAR_OR_NOWHERE.test(match)) return true;
  // Without a user it is no made-up pair of words; otherwise nobody makes up a long random one for an example.
  return match.startsWith("://:") ? value.length >= 10 : value.length >= 16 && looksRandom(value);
}

/** Long enough in one piece that no name has it by chance. */
const RANDOM_RUN = /(?=[A-Za-z+/]*\d)(?=[\d+/]*[A-Za-z])[A-Za-z\d+/]{16}/;

/** Neither words nor names put together, nor an id that is no secret. */
export function looksRandom(value: string): boolean {
  if (!/[a-z]/i.test(value)) return false;
  if (/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(value)) return false;
  if (/^(?:https?|file|data|sha\d{1,3}|urn|arn)[:-]/i.test(value) || /^[./~]/.test(value))
    return false;
  if (/[()[\]{}<>]/.test(value)) return false;
  const digits = (value.match(/\d/g) ?? []).length;
  return digits < 2 ? isUnpronounceable(value) : !isWords(value);
}

/** The most frequent pairs of letters: six in seven of those in English words, one in five of those in random text. */
const PAIRS = new Set(
  (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic " +
    "ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un " +
    "lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev " +
    "ld ry mp fe bl ab gh ty op wo sa ay ex ke ui ck ag pu ap qu ew"
  ).split(" "),
);

/** One digit or none, and yet no words: the letters do not follow each other as in any. */
function isUnpronounceable(value: string): boolean {
  const letters = value.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (letters.length < 14 || letters.length < value.length - 2) return false;
  let usual = 0;
  for (let at = 1; at < letters.length; at++) if (PAIRS.has(letters.slice(at - 1, at + 1))) usual++;
  return usual / (letters.length - 1) < 0.4;
}

/** `user_login_token_2`, `reset-password-v2`, `errors.token.expired1`: every part is a word, a number, or both in this order. */
function isWords(value: string): boolean {
  const parts = value
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .split(/[\s_.:/@-]+/)
    .filter((part) => part !== "");
  return parts.every((part) => /^(?:[A-Za-z]{0,24}\d{0,3}|\d{1,4})$/.test(part) && hasVowel(part));
}

function hasVowel(part: string): boolean {
  const letters = part.replaceAll(/\d/g, "");
  return letters.length <= 2 || (/[aeiouy]/i.test(letters) && !/[^aeiouy]{6}/i.test(letters));
}

/** Equal as long as the rules give the same answers; changes with every change of the table. */
export function secretRulesVersion(): string {
  const table = SECRET_RULES.map(({ id, keywords, pattern, entropy, isLikely }) =>
    [id, keywords.join(), pattern.source, pattern.flags, entropy ?? "", isLikely ?? ""].join(" "),
  );
  return [MATCHING_VERSION, ...table].join("\n");
}

/** What a whole file is, by its name and content; `judge-file.ts` looks for it. */
export const FILE_RULES = {
  values: { id: "environment-values", title: "values of an environment" },
  unclearValues: { id: "unclear-values", title: "possibly values of an environment" },
  key: { id: "private-key-file", title: "private key" },
  unclearKey: { id: "unclear-key", title: "possibly a key" },
  account: { id: "service-account", title: "key of a service account" },
  clientPassword: { id: "client-password", title: "token or password" },
} as const;

/** What a rule is about, in words; a rule of another version is known by its id only. */
export function secretTitle(id: string): string {
  return (
    [...SECRET_RULES, ...Object.values(FILE_RULES)].find((rule) => rule.id === id)?.title ?? id
  );
}

/** It has a shape that its maker publishes. */
export function ruleIsExact(id: string): boolean {
  return SECRET_RULES.some(
    (rule) => rule.id === id && rule.textsOnly !== true && rule.isGuess !== true,
  );
}
