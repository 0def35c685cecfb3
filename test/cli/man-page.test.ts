/** The man page in the eyes of the programs that show it. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { plain } from "../../scripts/docs/man-page.ts";
import { COMMANDS } from "../../src/interfaces/cli/command-table.ts";
import { hasProgram } from "../support/find-program.ts";
import { runCommand } from "../support/run-command.ts";

const page = fileURLToPath(new URL("../../man/git-waymark.1", import.meta.url));

describe.skipIf(!hasProgram("groff"))(
  "the man page, with groff (skipped where it is missing)",
  () => {
    it("is shown without a warning, with every command and option", async () => {
      const args = ["-ww", "-man", "-Tascii", "-P-cbou", "-rLL=200n", page];
      const { stdout, stderr } = await runCommand("groff", args, { env: process.env });
      expect(stderr).toBe("");
      const shown = stdout.toString("utf8");
      for (const spec of COMMANDS.filter(({ isHidden }) => isHidden !== true)) {
        expect(shown).toContain(`waymark ${spec.name}`);
        for (const { flags } of spec.options ?? []) expect(shown).toContain(flags);
      }
    });
  },
);

describe.skipIf(!hasProgram("mandoc"))(
  "the man page, with mandoc (skipped where it is missing)",
  () => {
    it("has nothing that mandoc objects to, but for the missing date", async () => {
      const { stdout } = await runCommand("mandoc", ["-Tlint", page], { env: process.env });
      const lines = stdout.toString("utf8").split("\n").filter(Boolean);
      // A date would make the page stale every day.
      expect(lines.filter((line) => !line.includes("missing date"))).toEqual([]);
    });
  },
);

describe("text for a man page", () => {
  it("keeps what roff would take for an escape or does not know", () => {
    expect(plain("a\\b … \u{1F600}")).toBe("a\\eb ... \\[u1F600]");
  });
});
