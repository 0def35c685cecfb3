// Runs one database server in a folder of its own, for the tests, as an ordinary user.
//
//   SERVER_PASSWORD=… node database-server.mjs postgresql|mysql
//
// Prints one line of JSON when it is ready. Ends with its standard input, which closes also when the tests are killed: the server
// is stopped then and its folder removed.

import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Servers refuse to run as root. */
const NOBODY = 65_534;
const asOrdinaryUser = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const engine = process.argv[2];
const password = process.env.SERVER_PASSWORD ?? "";
const folder = mkdtempSync(join(tmpdir(), "waymark-db-"));
const data = join(folder, "data");
if ("uid" in asOrdinaryUser) chownSync(folder, NOBODY, NOBODY);
const options = { cwd: folder, ...asOrdinaryUser, env: { ...process.env, HOME: folder } };

/** Killed outright, PostgreSQL leaves its shared memory behind for ever; told to quit, it does so at once. */
const QUIT = engine === "postgresql" ? "SIGQUIT" : "SIGKILL";
const MOST_MS_TO_QUIT = 5000;

let server;
function end(code) {
  const leave = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    process.exit(code);
  };
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) leave();
  server.removeAllListeners("exit").on("exit", leave).kill(QUIT);
  setTimeout(() => server.kill("SIGKILL"), MOST_MS_TO_QUIT);
}
process.stdin.resume().on("end", () => end(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => end(1));

/** Debian has the programs of a PostgreSQL server outside of the PATH. */
function find(program) {
  const debian = existsSync("/usr/lib/postgresql")
    ? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  const folders = [...(process.env.PATH ?? "").split(":"), ...debian, "/usr/sbin"];
  return folders.map((path) => join(path, program)).find((path) => existsSync(path)) ?? program;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}

const STARTERS = {
  postgresql(port) {
    const passwords = join(folder, "password");
    writeFileSync(passwords, password, { mode: 0o644 });
    execFileSync(
      find("initdb"),
      [
        "-D",
        data,
        "-U",
        "admin",
        "-E",
        "UTF8",
        "--no-locale",
        "-N",
        "-A",
        "scram-sha-256",
        "--pwfile",
        passwords,
      ],
      { ...options, stdio: ["ignore", "ignore", "inherit"] },
    );
    const settings = [
      "fsync=off",
      "listen_addresses=127.0.0.1",
      `port=${port}`,
      `unix_socket_directories=${folder}`,
    ];
    return {
      program: find("postgres"),
      args: ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
      ready: /ready to accept connections/,
      user: "admin",
    };
  },
  mysql(port) {
    execFileSync(
      find("mariadb-install-db"),
      [
        "--no-defaults",
        `--datadir=${data}`,
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--innodb-flush-method=nosync",
      ],
      { ...options, stdio: ["ignore", "ignore", "inherit"] },
    );
    const init = join(folder, "init.sql");
    const statements = [
      `CREATE USER admin@'%' IDENTIFIED BY '${password}';`,
      "GRANT ALL ON *.* TO admin@'%' WITH GRANT OPTION;",
      `ALTER USER root@localhost IDENTIFIED BY '${password}';`,
    ];
    writeFileSync(init, `${statements.join("\n")}\n`, { mode: 0o644 });
    return {
      program: find("mariadbd"),
      args: [
        "--no-defaults",
        `--datadir=${data}`,
        `--socket=${join(folder, "server.sock")}`,
        "--bind-address=127.0.0.1",
        `--port=${port}`,
        `--pid-file=${join(folder, "server.pid")}`,
        `--init-file=${init}`,
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-buffer-pool-size=32M",
        "--skip-name-resolve",
      ],
      ready: /ready for connections/,
      user: "admin",
    };
  },
};

try {
  const port = await freePort();
  const { program, args, ready, user } = STARTERS[engine](port);
  server = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let isReady = false;
  const listen = (chunk) => {
    if (isReady) return;
    said += chunk;
    if (!ready.test(said)) return;
    isReady = true;
    process.stdout.write(`${JSON.stringify({ port, folder, user, pid: server.pid })}\n`);
  };
  server.stdout.setEncoding("utf8").on("data", listen);
  server.stderr.setEncoding("utf8").on("data", listen);
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    end(1);
  });
  server.on("exit", () => {
    process.stderr.write(isReady ? "" : said);
    end(1);
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  end(1);
}
