/** `waymark config trust` */
import { inspectConfig, keepConsent } from "../../../app.ts";
import type { ConsentAsk } from "../../../domain/config-consent.ts";
import { yamlText } from "../../../domain/config-template.ts";
import { cancelled } from "../../../domain/failure.ts";
import { confirm, refuseAgents } from "../ask.ts";
import type { Context } from "../command-spec.ts";
import type { Output } from "../output.ts";
import { oneLine } from "../printable.ts";
import { counted } from "../units.ts";

export async function run(context: Context): Promise<void> {
  const { output, directory, options } = context;
  const isRevoked = options["revoke"] === true;
  const { asks } = await inspectConfig(directory);
  const open = asks.filter(({ isAgreed }) => !isAgreed);
  if (!isRevoked && open.length > 0) await agree(output, open, options["yes"] === true);
  const kept =
    isRevoked || open.length > 0
      ? await keepConsent(directory, isRevoked ? [] : asks)
      : { project: null, file: null };
  const line = isRevoked ? "revoked" : open.length > 0 ? "agreed" : "no settings need consent";
  output.result(
    "config_trust",
    {
      ...kept,
      settings: asks.map(({ file, line: at, key, value, effect, isAgreed }) => ({
        file,
        line: at,
        key,
        value,
        effect,
        agreed: !isRevoked,
        was_agreed: isAgreed,
      })),
    },
    [
      output.paint("green", line),
      ...(open.length > 0 || isRevoked ? [] : asks.flatMap(settingLines)),
    ],
  );
}

async function agree(output: Output, open: readonly ConsentAsk[], isYes: boolean): Promise<void> {
  refuseAgents("waymark config trust");
  if (isYes) return;
  const isAgreed = await confirm(output, {
    lines: [
      `${counted(open.length, "setting")} of the project ${open.length === 1 ? "needs" : "need"} your consent:`,
      ...open.flatMap(settingLines),
    ],
    question: `Consent to ${open.length === 1 ? "this setting" : "these settings"}?`,
    hint: "Run it in a terminal, or add --yes. Nothing was changed.",
  });
  if (!isAgreed) throw cancelled();
}

/** The values are the project's words. */
function settingLines({ file, line, key, value, effect }: ConsentAsk): string[] {
  return [`  ${oneLine(`${file}:${line}: ${key}: ${yamlText(value)}`)}`, `    ${effect}`];
}
