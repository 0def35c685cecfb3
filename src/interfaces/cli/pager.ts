/** Long text on a terminal goes through the user's pager; anywhere else it goes straight out. */
import { spawn } from "node:child_process";
import { Failure } from "../../domain/failure.ts";

/** What a shell answers for a program that it cannot start. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

export interface Pager {
  readonly write: (piece: Buffer) => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function openPager(chosen: () => Promise<string | undefined>): Promise<Pager> {
  if (!process.stdout.isTTY) return straight;
  const { GIT_PAGER, PAGER } = process.env;
  const command = GIT_PAGER ?? (await chosen()) ?? PAGER ?? "less";
  if (command === "" || command === "cat") return straight;
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", LV: "-c", ...process.env },
  });
  let isOpen = true;
  const closed = new Promise<number | null>((resolve) => {
    child.on("error", () => resolve(NOT_FOUND));
    child.on("close", (code) => resolve(code));
  });
  child.stdin.on("error", () => (isOpen = false));
  child.stdin.on("close", () => (isOpen = false));
  return {
    write: async (piece) => {
      if (isOpen && !child.stdin.write(piece)) {
        await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), closed]);
      }
    },
    end: async () => {
      child.stdin.end();
      const code = await closed;
      if (code !== NOT_FOUND && code !== NOT_EXECUTABLE) return;
      throw new Failure("io_failed", `the pager "${command}" could not be started`, {
        hint: "Set GIT_PAGER or PAGER to one that is installed, or to cat.",
      });
    },
  };
}

const straight: Pager = {
  write: async (piece) => {
    if (!process.stdout.write(piece)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
  end: () => Promise.resolve(),
};
