/** The command line in this process, so that thousands of calls take minutes: what it printed, and how it would have ended. */
import { main } from "../../../src/interfaces/cli/main.ts";

export interface Called {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly json: unknown;
}

const HANG_MS = 60_000;

process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

export async function call(directory: string, ...args: readonly string[]): Promise<Called> {
  const said = { stdout: "", stderr: "" };
  const restore = (["stdout", "stderr"] as const).map((name) => {
    const stream = process[name];
    const write = stream.write.bind(stream);
    stream.write = (piece: string | Uint8Array) => {
      said[name] += typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8");
      return true;
    };
    return () => {
      stream.write = write;
    };
  });
  const code = process.exitCode;
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      main(["node", "waymark", "-C", directory, "--json", ...args]),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`hangs: ${args.join(" ")}`)), HANG_MS);
      }),
    ]);
    return { args, code: Number(process.exitCode), ...said, json: parsed(said.stdout) };
  } finally {
    clearTimeout(timer);
    process.exitCode = code;
    for (const back of restore) back();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with an answer, whatever was asked: no bug, a code of the contract, one document. */
export function complaints({ args, code, stdout, stderr, json }: Called): string[] {
  const said = `${args.map((word) => JSON.stringify(word.slice(0, 80))).join(" ")}: `;
  const found: string[] = [];
  if (![0, 1, 2, 3, 4, 5, 6, 7].includes(code)) found.push(`${said}exit code ${code}`);
  if (stdout.includes('"internal"') || /\n {4}at /.test(stderr)) {
    found.push(`${said}a bug: ${stderr.slice(0, 700)}`);
  }
  if (json === undefined) found.push(`${said}no document: ${stdout.slice(0, 200)}`);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(stdout + stderr)) {
    found.push(`${said}a raw control character`);
  }
  return found;
}
