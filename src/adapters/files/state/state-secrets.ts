/** Decides which state documents may be held: one that looks like a secret only when it was named. */
import { asBytePath, isInside, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import { Failure } from "../../../domain/failure.ts";
import { stateEntry } from "../../../domain/parts.ts";
import { findPlacedSecret } from "../../../domain/secrets/secret-place.ts";
import { secretText, type SecretReason } from "../../../domain/secrets/secret-text.ts";
import { sensitiveNames } from "../../../domain/sensitive-name.ts";
import type { StateAsk, StateAskDocument } from "../../../ports/part-keepers.ts";
import { scanDocument } from "../scan-content.ts";
import { parseState } from "./state-text.ts";

/** How secrets are told. */
export interface SecretLook {
  readonly isSensitiveName: (path: BytePath) => boolean;
  /** The id of the rule that finds one in the bytes of a file. */
  readonly ruleForBytes: (bytes: Buffer) => string | undefined;
  /** The same in a value, whose fields say more than the bytes do: what a session would not keep is not held either. */
  readonly ruleForValue: (value: unknown) => string | undefined;
}

export const NO_LOOK: SecretLook = {
  isSensitiveName: () => false,
  ruleForBytes: () => undefined,
  ruleForValue: () => undefined,
};

export function secretLook(policy: CapturePolicy): SecretLook {
  if (!policy.excludeSensitive) return NO_LOOK;
  const isSensitiveName = sensitiveNames(policy.sensitivePatterns);
  if (!policy.scanContent) return { ...NO_LOOK, isSensitiveName };
  return {
    isSensitiveName,
    ruleForBytes: scanDocument,
    ruleForValue: (value) => findPlacedSecret(value)?.ruleId,
  };
}

/** The same for what is stored already: the bytes, and the value where they can be read as one. */
export async function ruleForState(bytes: Buffer): Promise<string | undefined> {
  const inBytes = scanDocument(bytes);
  if (inBytes !== undefined) return inBytes;
  try {
    return findPlacedSecret((await parseState(bytes, "the state")).value)?.ruleId;
  } catch (error) {
    // A safety checkpoint holds whatever was there.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** What would be stored of one document. */
export interface Candidate {
  readonly asked: StateAskDocument;
  /** Where its file really is: absolute, or from the root of the project. */
  readonly place: string | undefined;
  /** What is held of it. */
  readonly value: unknown;
  /** All of it; more than is held when only some keys are. */
  readonly whole: unknown;
  /** The bytes of its file. */
  readonly source: Buffer | undefined;
  /** Only some keys of it are held. */
  readonly isLimited: boolean;
}

export interface SecretVerdict {
  /** What it is recorded by when it is held although it looks like a secret. */
  readonly included: string | undefined;
  /** False: only the rest of the file looks like a secret, so the file itself is not held. */
  readonly withSource: boolean;
}

export function judgeSecrets(
  look: SecretLook,
  candidate: Candidate,
  includeSecrets: StateAsk["includeSecrets"] = [],
): SecretVerdict {
  const { asked, place, value, whole, source, isLimited } = candidate;
  if (asked.kind !== "file" && asked.isRedacted === true) {
    return { included: undefined, withSource: true };
  }
  const paths = [place, asked.kind === "file" ? asked.path : undefined].flatMap((path) =>
    path === undefined ? [] : [bytePath(path)],
  );
  const byName = paths.some((path) => look.isSensitiveName(path));
  const inFile =
    source === undefined ? undefined : (look.ruleForBytes(source) ?? look.ruleForValue(whole));
  const ruleId = isLimited || source === undefined ? look.ruleForValue(value) : inFile;
  const named =
    asked.kind === "file"
      ? paths.find((path) => includeSecrets.some((part) => isInside(path, part)))
      : undefined;
  const isNamed = asked.kind === "file" ? named !== undefined : asked.includeSecrets === true;
  const isSecret = byName || ruleId !== undefined || inFile !== undefined;
  if (isNamed && isSecret) {
    return {
      included: named === undefined ? stateEntry(asked.name) : showPath(named),
      withSource: true,
    };
  }
  if (isNamed && asked.kind !== "file") throw noSecret(asked);
  if (byName) throw refused(asked, { reason: "sensitive" });
  if (ruleId !== undefined) throw refused(asked, { reason: "sensitive_content", detail: ruleId });
  return { included: undefined, withSource: inFile === undefined };
}

function bytePath(path: string): BytePath {
  return asBytePath(Buffer.from(path).toString("latin1"));
}

function refused(asked: StateAskDocument, why: SecretReason): Failure {
  const { name } = asked;
  const isByKey = name === "state" && why.reason === "sensitive_content";
  const keys = isByKey ? "Capture only other keys with `--state-key KEY`, or include" : "Include";
  const ways = {
    file: asked.kind === "file" ? `\`--include-secrets ${asked.path}\`` : "",
    text: "`--include-secrets -`",
    value: "`includeSecrets: true` of the document",
  };
  return new Failure(
    "secrets_held",
    `the ${name}${asked.kind === "file" ? ` in ${asked.path}` : ""} is not stored: ${secretText(why)}`,
    {
      hint: `${keys} it with ${ways[asked.kind]}; it then stays on this machine. No checkpoint was created.`,
      details: { document: name, ...why },
    },
  );
}

/** A typing error must not look like a secret that is held now. */
function noSecret({ name }: StateAskDocument): Failure {
  return new Failure("usage", `--include-secrets: nothing in the ${name} looks like a secret`, {
    hint: "Omit the option. No checkpoint was created.",
  });
}
