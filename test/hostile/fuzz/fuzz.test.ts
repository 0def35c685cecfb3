/** A sample of what `npm run test:hostile` tries thousands of times. */
import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../../support/find-program.ts";
import { archives } from "./attacks/archives.ts";
import { canaries } from "./attacks/canaries.ts";
import { clock } from "./attacks/clock.ts";
import { documents } from "./attacks/documents.ts";
import { mcpMessages } from "./attacks/mcp-messages.ts";
import { names } from "./attacks/names.ts";
import { payloads } from "./attacks/payloads.ts";
import { network, permissions } from "./attacks/surroundings.ts";
import { swappedFolders } from "./attacks/swapped-folders.ts";
import { fuzz } from "./fuzz.ts";

const runs = Number(process.env["WAYMARK_HOSTILE_RUNS"] ?? 24);
const seed = Number(process.env["WAYMARK_HOSTILE_SEED"] ?? 20_261_115);
const only = process.env["WAYMARK_HOSTILE_ONLY"];
const report = process.env["WAYMARK_HOSTILE_REPORT"];

const attacks = [
  archives,
  documents,
  names,
  payloads,
  mcpMessages,
  canaries,
  swappedFolders,
  network,
  permissions,
  clock,
].filter(({ id }) => only === undefined || id === only);

function tell(figure: object): void {
  if (report !== undefined) appendFileSync(report, `${JSON.stringify(figure)}\n`);
}

describe(`hostile input (seed ${seed})`, () => {
  for (const attack of attacks) {
    // Stays, for one that is skipped or does not come to its end.
    tell({ id: attack.id, what: attack.what, tried: 0, wrong: 1, detail: "it gave no report" });
    const isPossible = attack !== network || hasProgram("strace");
    it.skipIf(!isPossible)(
      `does no harm: ${attack.id}`,
      async () => {
        const { wrong, ...figures } = await fuzz(attack, runs, seed);
        tell({ ...figures, wrong: wrong.length });
        if (report !== undefined && wrong.length > 0) {
          console.error(wrong.slice(0, 5).join("\n"));
        }
        expect(wrong).toEqual([]);
      },
      Math.max(120_000, runs * 5000),
    );
  }
});
