/** What `--from` names: another clone, an archive, or a remote. Only a remote that the user names is ever contacted. */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { archiveLimits } from "../../../domain/archive.ts";
import { Failure } from "../../../domain/failure.ts";
import type { Progress } from "../../../ports/progress.ts";
import { isMissing } from "../../files/errors.ts";
import { quarantinePack } from "../archive/quarantined-pack.ts";
import { ObjectReader, type ObjectPlace } from "../object-reader.ts";
import { Quarantine } from "../quarantine.ts";
import { CHECKPOINT_REFS, LOCAL_REFS, SESSION_REFS } from "../ref-names.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { storeFolder } from "../store/store-place.ts";
import type { RepositorySource } from "./object-source.ts";

export async function openSource(
  repository: Repository,
  from: string,
  progress: Progress,
): Promise<RepositorySource> {
  const kind = kindOf(from);
  if (kind === "folder") return otherClone(repository, from);
  if (kind === "file") return archive(repository, from, progress);
  return remote(repository, from, progress);
}

function kindOf(path: string): "folder" | "file" | "none" {
  try {
    const stat = statSync(path);
    return stat.isDirectory() ? "folder" : stat.isFile() ? "file" : "none";
  } catch (error) {
    if (isMissing(error)) return "none";
    throw error;
  }
}

async function otherClone(repository: Repository, directory: string): Promise<RepositorySource> {
  const args = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--show-object-format"];
  const result = await runGit({ directory }, args, { accept: [0, 128] });
  const [gitDir = "", hash] = result.stdout.toString("utf8").split("\n");
  if (result.exitCode !== 0) {
    throw new Failure("usage", `--from: ${directory} is not a git repository`, {
      hint: result.stderr.trim(),
    });
  }
  if (hash !== repository.hash) throw otherHash(directory);
  const store = storeFolder({ sharedDir: join(gitDir, "waymark") });
  const place = { directory, gitDir: existsSync(store) ? store : gitDir, hash: repository.hash };
  return source(directory, place, {}, () => undefined);
}

async function archive(
  repository: Repository,
  file: string,
  progress: Progress,
): Promise<RepositorySource> {
  // Every object that is taken from it has the id that was asked for, so size is the only thing to fear.
  const checks = { limitsFor: archiveLimits, objects: "ids" } as const;
  const pack = await quarantinePack(repository, file, checks, progress);
  const refs = new Map(pack.header.refs.map(({ name, oid }) => [name, oid]));
  return {
    ...source(file, repository, pack.only, pack.discard),
    commitOf: (ref) => Promise.resolve(refs.get(ref)),
  };
}

/** Into a repository of its own: a fetch into this one would leave out whatever git believes to have. */
async function remote(
  repository: Repository,
  name: string,
  progress: Progress,
): Promise<RepositorySource> {
  const { exitCode, stdout } = await runGit(
    repository.project,
    ["config", "--get", `remote.${name}.url`],
    {
      accept: [0, 1],
    },
  );
  const url = stdout.toString("utf8").trim();
  if (exitCode !== 0 || url === "") {
    throw new Failure(
      "usage",
      `--from: ${name} is neither a folder, a file nor a remote of this repository`,
      {
        hint: "Name another clone, a file that `waymark export` wrote, or a remote (`git remote`).",
      },
    );
  }
  const quarantine = new Quarantine(repository);
  const task = progress.begin(`fetching from ${name}`);
  try {
    const gitDir = quarantine.path("remote.git");
    const place = { directory: repository.directory, gitDir };
    const format = `--object-format=${repository.hash}`;
    await runGit({ directory: repository.directory }, ["init", "-q", "--bare", format, gitDir]);
    await runGit(
      place,
      [
        "fetch",
        "-q",
        "--no-tags",
        "--end-of-options",
        url,
        "+refs/heads/*:refs/heads/*",
        ...[CHECKPOINT_REFS, LOCAL_REFS, SESSION_REFS].map((folder) => `+${folder}/*:${folder}/*`),
      ],
      { env: { GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" } },
    );
    return source(name, { ...place, hash: repository.hash }, {}, () => quarantine.discard());
  } catch (error) {
    quarantine.discard();
    throw error;
  } finally {
    task.end();
  }
}

function source(
  label: string,
  place: ObjectPlace,
  env: Readonly<Record<string, string>>,
  close: () => void,
): RepositorySource {
  const reader = new ObjectReader(place, env);
  const content = async (name: string): Promise<{ oid: string; content: Buffer } | undefined> => {
    try {
      return await reader.read(name);
    } catch (error) {
      // Damaged there too.
      if (error instanceof Failure && error.code === "checkpoint_damaged") return undefined;
      throw error;
    }
  };
  return {
    label,
    find: async ({ oid }) => (await content(oid))?.content,
    commitOf: async (ref) => (await content(ref))?.oid,
    close: () => {
      reader.close();
      close();
    },
  };
}

function otherHash(directory: string): Failure {
  return new Failure(
    "usage",
    `--from: ${directory} uses another object format than this repository`,
    {
      hint: "Objects of a sha1 repository cannot be used in a sha256 one. Name a clone of the same kind.",
    },
  );
}
