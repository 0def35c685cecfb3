/**
 * The one place that starts the programs of databases. Passwords reach them by their environment only, which nobody else
 * can read, and are taken out of what they say. As with git, a Ctrl+C in the terminal does not reach them.
 */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Failure } from "../../domain/failure.ts";

export interface Tool {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Never shown. */
  readonly secrets: readonly string[];
}

/** Bytes of stderr that are kept for a message. */
const MOST_SAID = 8192;

/** What to install, by program. */
const PACKAGES: Readonly<Record<string, string>> = {
  sqlite3: "the command-line shell of SQLite (Debian, Ubuntu: `apt install sqlite3`)",
  psql: "the client programs of PostgreSQL (Debian, Ubuntu: `apt install postgresql-client`)",
  pg_dump: "the client programs of PostgreSQL (Debian, Ubuntu: `apt install postgresql-client`)",
  pg_restore: "the client programs of PostgreSQL (Debian, Ubuntu: `apt install postgresql-client`)",
  mysql: "the client programs of MariaDB or MySQL (Debian, Ubuntu: `apt install mariadb-client`)",
};

export function startTool(tool: Tool): ChildProcessWithoutNullStreams {
  return spawn(tool.program, tool.args, {
    ...surroundings(tool),
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function surroundings(tool: Tool) {
  // English words, so that they can be understood below.
  const env = { ...process.env, LC_ALL: "C.UTF-8", ...tool.env };
  return {
    env,
    detached: true,
    windowsHide: true,
    ...(tool.cwd === undefined ? {} : { cwd: tool.cwd }),
  };
}

/** Runs it to its end. What it prints is handed to `onData` or returned. */
export function runTool(
  tool: Tool,
  options: { readonly input?: string; readonly onData?: (chunk: Buffer) => void } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = startTool(tool);
    const chunks: Buffer[] = [];
    let stderr = "";
    let thrown: unknown;
    child.stdout.on("data", (chunk: Buffer) => {
      try {
        if (options.onData === undefined) chunks.push(chunk);
        else if (thrown === undefined) options.onData(chunk);
      } catch (error) {
        thrown = error;
        child.kill();
      }
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString("utf8")).slice(-MOST_SAID);
    });
    child.on("error", (error) => reject(cannotStart(tool, error)));
    // A program that ends early breaks the pipe; what it says tells more.
    child.stdin.on("error", () => undefined);
    child.on("close", (code, signal) => {
      if (thrown instanceof Error) reject(thrown);
      else if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
      else reject(toolFailed(tool, stderr, signal));
    });
    child.stdin.end(options.input);
  });
}

/** For the last step of a clean-up, which nobody can wait for. Says whether it worked. */
export function runToolSync(tool: Tool, input: string): boolean {
  const timeout = 10_000;
  const { status } = spawnSync(tool.program, tool.args, { ...surroundings(tool), input, timeout });
  return status === 0;
}

export function cannotStart(tool: Tool, error: NodeJS.ErrnoException): Failure {
  if (error.code === "ENOENT") {
    return new Failure("tool_missing", `${tool.program} could not be started: program not found`, {
      hint: `Install ${PACKAGES[tool.program] ?? tool.program} and make sure that it is on the PATH; nothing was changed.`,
      details: { program: tool.program },
      cause: error,
    });
  }
  return new Failure("database_failed", `${tool.program} could not be started: ${error.message}`, {
    hint: `Check whether \`${tool.program} --version\` works; nothing was changed.`,
    cause: error,
  });
}

const HINTS: readonly (readonly [said: RegExp, hint: string])[] = [
  [
    /password|authentication|access denied|no pg_hba/i,
    "Check user and password. The password comes from the environment (PGPASSWORD, MYSQL_PWD, or a whole URL with `env:NAME`), ~/.pgpass, a service file or an option file.",
  ],
  [
    /could not connect|connection refused|can't connect|timeout expired|could not translate|unknown (mysql )?server host|no such file or directory/i,
    "Check that the server is running and that host and port are correct.",
  ],
  [
    /lock[_ ]timeout|lock wait timeout|database is locked|database table is locked|database is busy|deadlock/i,
    "Another program is using the database. Let it finish its transaction or stop it, then run the command again.",
  ],
  [/permission denied|must be owner|command denied/i, "The user needs more rights for this."],
  [/server version mismatch/i, "Install client programs that are at least as new as the server."],
  [/no space left|disk.* full|quota/i, "Free some disk space and run the command again."],
  [
    /not a database|malformed|corrupt/i,
    "The database itself is damaged; repair it with its own tools first.",
  ],
];

export function toolFailed(tool: Tool, stderr: string, signal: NodeJS.Signals | null): Failure {
  // The clients of MariaDB print the whole statement before the error.
  const errors = stderr.split("\n").filter((line) => /^ERROR \d+/.test(line));
  const all = errors.length === 0 ? stderr.trim() : errors.join("\n");
  // Their own names, which the message begins with, and tabs, which the terminal does not get.
  const own = new RegExp(`^${tool.program}: (?:error: )?`, "gm");
  const said = withoutSecrets(all, tool.secrets).replaceAll(own, "").replaceAll("\t", " ");
  const isBusy = /lock[_ ]timeout|lock wait timeout|is locked|database is busy|deadlock/i.test(
    said,
  );
  const what = signal === null ? said : `ended by ${signal} ${said}`.trim();
  const known = HINTS.find(([pattern]) => pattern.test(said))?.[1];
  return new Failure(
    isBusy ? "database_busy" : "database_failed",
    `${tool.program}: ${what === "" ? "failed without any output" : what}`,
    { hint: known ?? "See the message of the program; the database was not changed." },
  );
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
}
