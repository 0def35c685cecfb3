import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readCheckpointRefs } from "./checkpoint-refs.ts";
import { readRefs } from "./read-refs.ts";
import { CHECKPOINT_REFS } from "./ref-names.ts";
import { openedRepository } from "./temp-repository.fixture.ts";

const OID = "0123456789".repeat(4);

describe("readRefs", () => {
  it("finds refs in files and packed ones, those in files first", async () => {
    const { repository } = await openedRepository();
    const folder = join(repository.commonDir, CHECKPOINT_REFS);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "b"), `${OID}\n`);
    const packed = ["a", "b"].map((name) => `${"f".repeat(40)} ${CHECKPOINT_REFS}/${name}\n`);
    writeFileSync(join(repository.commonDir, "packed-refs"), packed.join(""));
    expect(readRefs(repository, CHECKPOINT_REFS)).toEqual(
      new Map([
        [`${CHECKPOINT_REFS}/a`, "f".repeat(40)],
        [`${CHECKPOINT_REFS}/b`, OID],
      ]),
    );
  });

  it("leaves to git what is no plain ref", async () => {
    const { repository } = await openedRepository();
    const folder = join(repository.commonDir, CHECKPOINT_REFS);
    mkdirSync(folder, { recursive: true });
    symlinkSync("elsewhere", join(folder, "a"));
    writeFileSync(join(folder, "b"), "ref: refs/heads/main\n");
    expect(readRefs(repository, CHECKPOINT_REFS)).toBeUndefined();
  });

  it.each(["garbage\n", `${"f".repeat(40)} refs/heads/a\n\0\0\0\n`, `${OID} ${CHECKPOINT_REFS}/a`])(
    "leaves it to git to complain about packed refs that are %j",
    async (text) => {
      const { repository } = await openedRepository();
      writeFileSync(join(repository.commonDir, "packed-refs"), text);
      expect(readRefs(repository, CHECKPOINT_REFS)).toBeUndefined();
    },
  );

  it.skipIf(process.getuid?.() === 0)(
    "says that it may not read a folder, which git leaves out without a word",
    async () => {
      const { repository } = await openedRepository();
      const folder = join(repository.commonDir, CHECKPOINT_REFS);
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0);
      onTestFinished(() => chmodSync(folder, 0o700));
      expect(() => readRefs(repository, CHECKPOINT_REFS)).toThrow("EACCES");
      await expect(readCheckpointRefs(repository)).rejects.toThrow("EACCES");
    },
  );
});
