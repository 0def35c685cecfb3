/** Looks for secrets in a text by the rules. What was found is named by its rule; the value stays here. */
import { isNamedPlaceholder, isPlaceholder } from "./placeholder.ts";
import { looksRandom, SECRET_RULES, type SecretRule } from "./secret-rules.ts";

/** Where in the text a secret is. */
export interface SecretPlace {
  readonly ruleId: string;
  readonly start: number;
  readonly end: number;
}

/** The id of a rule that finds a secret in a document, or in a file of the project; undefined: none does. */
export function findSecret(text: string, isFile = false): string | undefined {
  const there = keywordsIn(text);
  for (const rule of SECRET_RULES) {
    if (rule.textsOnly === true || (rule.filesOnly === true && !isFile)) continue;
    if (!mayMatch(rule, there)) continue;
    for (const { ruleId } of placesOf(rule, text)) return ruleId;
  }
  return undefined;
}

/** Everything in a text for people or logs that may be a secret, by the wide rules too. */
export function findAllSecrets(text: string, isCommand = false): SecretPlace[] {
  return viewsOf(text).flatMap(({ seen, at }) => {
    const there = keywordsIn(seen);
    return SECRET_RULES.filter(
      (rule) =>
        rule.filesOnly !== true &&
        (isCommand || rule.commandsOnly !== true) &&
        mayMatch(rule, there),
    ).flatMap((rule) =>
      [...placesOf(rule, seen, true), ...gluedPlacesOf(rule, seen)].map(({ ruleId, start, end }) =>
        at === undefined
          ? { ruleId, start, end }
          : { ruleId, start: at[start] ?? 0, end: (at[end - 1] ?? 0) + 1 },
      ),
    );
  });
}

/** Escape sequences of terminals, and characters that a reader does not see: `pass\u200bword` is one word for people. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-Z\\^-~]|[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u115f\u1160\u3164]|\u034f|\p{Cf}|\p{VS}/gu;

interface View {
  readonly seen: string;
  /** Where in the text each of its characters is; undefined: at the same place. */
  readonly at?: readonly number[];
}

/** The text as it is, as people see it, and with a space for whatever they do not see. */
function viewsOf(text: string): View[] {
  const plain = text.replaceAll(/[\uff01-\uff5e]/g, (wide) =>
    String.fromCodePoint(wide.charCodeAt(0) - 0xfe_e0),
  );
  const unseen = [...plain.matchAll(UNSEEN)];
  if (unseen.length === 0) return [{ seen: plain }];
  let seen = "";
  const at: number[] = [];
  let from = 0;
  for (const { index, 0: part } of [...unseen, { index: plain.length, 0: "" }]) {
    seen += plain.slice(from, index);
    for (let place = from; place < index; place++) at.push(place);
    from = index + part.length;
  }
  const spaced = plain.replaceAll(UNSEEN, (part) => " ".repeat(part.length));
  return [{ seen: plain }, { seen, at }, { seen: spaced }];
}

/** Tokens behind letters, as in `xghp_…`: only what looks random, since words end in all kinds of letters. */
function* gluedPlacesOf(rule: SecretRule, text: string): Generator<SecretPlace> {
  const { source, flags } = rule.pattern;
  if (!source.startsWith(WORD_START) || !hasShape(rule)) return;
  const pattern = new RegExp(source.slice(WORD_START.length), flags);
  for (const place of placesOf({ ...rule, pattern }, text, true)) {
    if (looksRandom(text.slice(place.start, place.end))) yield place;
  }
}

const WORD_START = String.raw`\b`;

/** Of its maker, so that it is hardly made up. */
function hasShape({ isGuess, textsOnly }: SecretRule): boolean {
  return isGuess !== true && textsOnly !== true;
}

let keywords: RegExp | undefined;

/** One pass for all of them: five times as fast as one for each. They may overlap, so each is looked at without being consumed. */
function keywordsIn(text: string): Set<string> {
  keywords ??= new RegExp(
    `(?=(${[...new Set(SECRET_RULES.flatMap((rule) => rule.keywords))].map(literal).join("|")}))`,
    "g",
  );
  const found = new Set<string>();
  for (const [, keyword = ""] of text.toLowerCase().matchAll(keywords)) found.add(keyword);
  return found;
}

function literal(word: string): string {
  return word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

function mayMatch(rule: SecretRule, there: ReadonlySet<string>): boolean {
  return there.size > 0 && rule.keywords.some((keyword) => there.has(keyword));
}

function* placesOf(rule: SecretRule, text: string, isTyped = false): Generator<SecretPlace> {
  const isSample = isTyped && hasShape(rule) ? isNamedPlaceholder : isPlaceholder;
  const pattern = new RegExp(rule.pattern.source, `${rule.pattern.flags}g`);
  for (const match of text.matchAll(pattern)) {
    const value = match.groups?.["secret"] ?? match[0];
    if (rule.mayRepeat !== true && isSample(value)) continue;
    if (rule.entropy !== undefined && entropyOf(value) < rule.entropy) continue;
    if (rule.isLikely?.(value, match[0]) === false) continue;
    const start = match.index + (match.groups?.["before"] ?? "").length;
    yield { ruleId: rule.id, start, end: start + value.length };
  }
}

/** Shannon's measure: bits for each character. */
function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / value.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}
