/** Files of a checkpoint's tree that other parts than the work tree put there. */
import { createWriteStream, rmSync } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Failure } from "../../domain/failure.ts";
import { syncFile } from "../files/durable-write.ts";
import { IN_PIECES } from "./git-environment.ts";
import { startObjectHash, type HashName } from "./object-hash.ts";
import type { ObjectReader } from "./object-reader.ts";
import { checkpointRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { runGit, startGit } from "./run-git.ts";

export async function readEntry(reader: ObjectReader, id: string, name: string): Promise<Buffer> {
  const found = await reader.read(`${checkpointRef(id)}:${name}`);
  if (found?.type !== "blob") throw damaged(id, name, "missing");
  return reader.readChecked(found.oid, "blob");
}

/** Piece by piece: a dump may be larger than memory. */
export async function extractEntry(
  repository: Repository,
  id: string,
  name: string,
  to: string,
): Promise<void> {
  const object = `${checkpointRef(id)}:${name}`;
  const asked = await runGit(repository, ["cat-file", "--batch-check"], { input: `${object}\n` });
  const answer = /^([0-9a-f]+) blob (\d+)\n$/.exec(asked.stdout.toString("latin1"));
  const [, oid, size] = answer ?? [];
  if (oid === undefined || size === undefined) throw damaged(id, name, "missing");
  const child = startGit(repository, [...IN_PIECES, "cat-file", "blob", oid]);
  child.stdin.end();
  const seen = hashing(repository.hash, Number(size));
  try {
    await pipeline(child.stdout, seen.pass, createWriteStream(to, { flags: "wx", mode: 0o600 }));
    if (seen.oid() !== oid) throw damaged(id, name, "damaged");
    syncFile(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

function hashing(hash: HashName, size: number): { pass: Transform; oid: () => string } {
  const digest = startObjectHash(hash, "blob", size);
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  return { pass, oid: () => digest.digest("hex") };
}

function damaged(id: string, name: string, how: string): Failure {
  return new Failure("checkpoint_damaged", `${name} of checkpoint ${id} is ${how}`, {
    hint: "`waymark validate` shows which checkpoints are intact. Nothing was changed.",
  });
}
