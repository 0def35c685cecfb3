/** Long text on a terminal goes through the user's pager; anywhere else it goes straight out. */
import { spawn } from "node:child_process";

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
  const closed = new Promise<void>((resolve) => {
    child.on("error", () => resolve());
    child.on("close", () => resolve());
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
      await closed;
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
