/** Long text on a terminal goes through the user's pager; anywhere else it goes straight out. */
import { spawn } from "node:child_process";
import type { Output } from "./output.ts";

/** What a shell answers for a program that it cannot start. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** More than a pipe takes before anything is read from it: a pager that could not be started has missed no more. */
const MAX_UNREAD_BYTES = 1 << 20;

export interface Pager {
  /** False: color codes would be litter. */
  readonly hasColor: boolean;
  readonly write: (piece: Buffer) => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function openPager(
  output: Pick<Output, "warn">,
  chosen: () => Promise<string | undefined>,
): Promise<Pager> {
  if (!process.stdout.isTTY) return straight;
  const { GIT_PAGER, PAGER } = process.env;
  const command = GIT_PAGER ?? (await chosen()) ?? PAGER ?? "less";
  if (command === "" || command === "cat") return straight;
  const child = spawn(quietIfMissing(command), {
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
  const unread: Buffer[] = [];
  let unreadBytes = 0;
  const unpaged = closed.then(async (code) => {
    isOpen = false;
    if (code !== NOT_FOUND && code !== NOT_EXECUTABLE) return undefined;
    output.warn(
      `the pager "${command}" could not be started, so this is not paged; GIT_PAGER and PAGER choose another`,
    );
    for (const piece of unread) await straight.write(piece);
    return straight;
  });
  return {
    hasColor: showsColor(command),
    write: async (piece) => {
      if (!isOpen) {
        await (await unpaged)?.write(piece);
        return;
      }
      if (unreadBytes < MAX_UNREAD_BYTES) unread.push(piece);
      unreadBytes += piece.length;
      if (child.stdin.write(piece)) return;
      await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), unpaged]);
    },
    end: async () => {
      child.stdin.end();
      await unpaged;
    },
  };
}

/** The shell has words of its own for a missing program. */
function quietIfMissing(command: string): string {
  const program = /^[\w./+-]+(?=\s|$)/.exec(command)?.[0];
  return program === undefined
    ? command
    : `command -v ${program} >/dev/null || exit ${NOT_FOUND}; ${command}`;
}

/** `less` shows the codes themselves unless -R or -r is among its options. */
function showsColor(command: string): boolean {
  const { LESS } = process.env;
  if (LESS === undefined || !/^(?:\S*\/)?less(?:\s|$)/.test(command)) return true;
  return /(?:^|\s)-?(?!-)[a-z]*r|--raw-control-chars/i.test(
    `${LESS} ${command.replace(/^\S+/, "")}`,
  );
}

const straight: Pager = {
  hasColor: true,
  write: async (piece) => {
    if (!process.stdout.write(piece)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  },
  end: () => Promise.resolve(),
};
