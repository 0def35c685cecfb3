/** The command line in this process, so that thousands of calls take minutes: what it printed, and how it would have ended. */
import { main } from "../../../src/interfaces/cli/main.ts";

export interface Called {
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly json: unknown;
  /** As for a person, without `--json`. */
  readonly isPlain: boolean;
}

const HANG_MS = 60_000;

process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

export function call(directory: string, ...args: readonly string[]): Promise<Called> {
  return callAs(directory, args, false);
}

/** JSON escapes what a terminal would act on; text for people has to do so itself. */
export function callPlain(directory: string, ...args: readonly string[]): Promise<Called> {
  return callAs(directory, args, true);
}

async function callAs(
  directory: string,
  args: readonly string[],
  isPlain: boolean,
): Promise<Called> {
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
      main(["node", "waymark", "-C", directory, ...(isPlain ? [] : ["--json"]), ...args]),
      new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`hangs: ${args.join(" ")}`)), HANG_MS);
      }),
    ]);
    return { args, code: Number(process.exitCode), ...said, json: parsed(said.stdout), isPlain };
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

/** What a terminal would act on: control characters, and what turns the direction of text. Tables have tabs where nobody looks. */
const ACTS = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/u;

/** In a document every control character is escaped. */
const NO_JSON = /(?![\t\n])\p{Cc}/u;

/** What is wrong with an answer, whatever was asked: no bug, a code of the contract, one document or text without anything that acts. */
export function complaints({ args, code, stdout, stderr, json, isPlain }: Called): string[] {
  const words = args.map((word) => JSON.stringify(word.slice(0, 80)));
  const said = `${words.join(" ")}${isPlain ? " without --json" : ""}: `;
  const found: string[] = [];
  if (![0, 1, 2, 3, 4, 5, 6, 7].includes(code)) found.push(`${said}exit code ${code}`);
  if (stdout.includes('"internal"') || /\n {4}at /.test(stderr)) {
    found.push(`${said}a bug: ${stderr.slice(0, 700)}`);
  }
  if (!isPlain && json === undefined) found.push(`${said}no document: ${stdout.slice(0, 200)}`);
  const raw = (isPlain ? ACTS : NO_JSON).exec(stdout + stderr);
  if (raw !== null) {
    const around = (stdout + stderr).slice(Math.max(0, raw.index - 60), raw.index + 20);
    found.push(`${said}a raw control character: ${JSON.stringify(around)}`);
  }
  return found;
}
