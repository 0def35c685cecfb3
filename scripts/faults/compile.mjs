// Compiles a C file of this folder on demand, into a folder named after its content: an unchanged one is compiled once per machine.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./process.mjs";

/**
 * @param {string} name of the program, and of its source with `.c`
 * @param {readonly string[]} [options] of the compiler
 * @returns {Promise<{ kind: "ready", path: string, folder: string } | { kind: "unavailable", reason: string }>}
 */
export async function compiled(name, options = []) {
  const source = fileURLToPath(new URL(`./${name}.c`, import.meta.url));
  const digest = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const folder = join(tmpdir(), `waymark-${name}-${process.getuid?.() ?? 0}-${digest}`);
  const path = join(folder, name);
  if (!existsSync(path)) {
    const failure = await compile(source, options, folder, path);
    if (failure !== undefined) return { kind: "unavailable", reason: failure };
  }
  return { kind: "ready", path, folder };
}

/** @param {string} source @param {readonly string[]} options @param {string} folder @param {string} path @returns {Promise<string | undefined>} what went wrong */
async function compile(source, options, folder, path) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const workshop = mkdtempSync(join(folder, "build-"));
  try {
    let seen = "";
    for (const compiler of [process.env["CC"], "cc", "gcc", "clang"]) {
      if (!compiler) continue;
      const made = join(workshop, "made");
      const built = await run(compiler, ["-O2", ...options, "-o", made, source]).catch(
        () => undefined,
      );
      if (built?.code === 0) {
        renameSync(made, path);
        return undefined;
      }
      seen ||= built?.stderr.trim() ?? "";
    }
    return seen
      ? `${source} does not compile: ${seen}`
      : "fault injection needs a C compiler (cc, gcc or clang) on the PATH";
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}
