/** Looks for secrets in a text by the rules. What was found is named by its rule; the value stays here. */
import { isPlaceholder } from "./placeholder.ts";
import { SECRET_RULES, type SecretRule } from "./secret-rules.ts";

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
  const there = keywordsIn(text);
  return SECRET_RULES.filter(
    (rule) =>
      rule.filesOnly !== true && (isCommand || rule.commandsOnly !== true) && mayMatch(rule, there),
  ).flatMap((rule) => [...placesOf(rule, text)]);
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

function* placesOf(rule: SecretRule, text: string): Generator<SecretPlace> {
  const pattern = new RegExp(rule.pattern.source, `${rule.pattern.flags}g`);
  for (const match of text.matchAll(pattern)) {
    const value = match.groups?.["secret"] ?? match[0];
    if (!isSecret(rule, value, match[0])) continue;
    const start = match.index + (match.groups?.["before"] ?? "").length;
    yield { ruleId: rule.id, start, end: start + value.length };
  }
}

function isSecret(rule: SecretRule, value: string, match: string): boolean {
  if (rule.mayRepeat !== true && isPlaceholder(value)) return false;
  if (rule.entropy !== undefined && entropyOf(value) < rule.entropy) return false;
  return rule.isLikely?.(value, match) ?? true;
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
