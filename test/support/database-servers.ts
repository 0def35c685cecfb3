/** Real database servers for the tests: each test file starts its own, in a temporary folder, and it ends with the file. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { hasProgram } from "./find-program.ts";

export type ServerEngine = "postgresql" | "mysql";

export interface TestServer {
  readonly port: number;
  readonly folder: string;
  /** The administrator. */
  readonly user: string;
  readonly password: string;
  readonly pid: number;
}

const CLIENTS: Readonly<Record<ServerEngine, readonly string[]>> = {
  postgresql: ["psql", "pg_dump", "pg_restore"],
  mysql: ["mariadb", "mariadb-dump", "mariadb-install-db"],
};

/** Undefined: there is one. Otherwise why there is none, printed once, so that nobody takes skipped tests for passed ones. */
export function whyNoServer(engine: ServerEngine): string | undefined {
  const missing = [
    ...CLIENTS[engine].filter((program) => !hasProgram(program)),
    ...(hasServer(engine) ? [] : [engine === "mysql" ? "mariadbd" : "postgres"]),
  ];
  if (missing.length === 0) return undefined;
  const reason = `skipped: ${missing.join(", ")} not found; \`npm run test:databases\` installs what is missing`;
  process.stderr.write(`tests of ${engine} are ${reason}\n`);
  return reason;
}

function hasServer(engine: ServerEngine): boolean {
  if (engine === "mysql") return hasProgram("mariadbd") || existsSync("/usr/sbin/mariadbd");
  const debian = "/usr/lib/postgresql";
  return (
    (hasProgram("postgres") && hasProgram("initdb")) ||
    (existsSync(debian) &&
      readdirSync(debian).some((version) => existsSync(join(debian, version, "bin/postgres"))))
  );
}

/** Has characters that a URL, a shell and SQL would each read in their own way. */
const PASSWORD = "s3cret-Pa$$w0rd_@:x";

export async function startServer(engine: ServerEngine): Promise<TestServer> {
  const script = join(import.meta.dirname, "database-server.mjs");
  const child = spawn(process.execPath, [script, engine], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, SERVER_PASSWORD: PASSWORD },
  });
  const closed = new Promise<void>((resolve) => child.on("close", () => resolve()));
  afterAll(async () => {
    child.stdin.end();
    await closed;
  });
  let said = "";
  let ready = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      ready += text;
      if (ready.includes("\n")) resolve();
    });
    child.on("close", () => reject(new Error(`the ${engine} server did not start:\n${said}`)));
  });
  const { port, folder, user, pid } = JSON.parse(ready) as Omit<TestServer, "password">;
  return { port, folder, user, pid, password: PASSWORD };
}
