/** The OldFormats port, on files. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { OLD_FORMATS, type OldFormat } from "../../domain/old-formats/old-formats.ts";
import type { ReadSession } from "../../domain/old-formats/old-session.ts";
import { asFailure, readProblem } from "../../domain/system-error.ts";
import type { OldFormatContent, OldFormatOrder, OldFormats } from "../../ports/old-formats.ts";
import { readClaudeCheckpointsSource } from "./claude-checkpoints-source.ts";
import { readCrunchSource } from "./crunch-source.ts";
import { readFlowspecSource } from "./flowspec-source.ts";
import { readGoTeamSource } from "./go-team-source.ts";
import { SourceFolder } from "./source-folder.ts";
import { SourceReader } from "./source-reader.ts";

interface Shape {
  readonly isFile: boolean;
  /** Where the tool puts it in a project; undefined: wherever it is told. */
  readonly usual?: string;
  /** For the hint when there is none of it. */
  readonly looksLike: string;
  readonly read: (source: SourceReader, path: string) => Promise<ReadSession[]>;
}

const SHAPES: Readonly<Record<OldFormat, Shape>> = {
  "go-team": {
    isFile: false,
    looksLike:
      "a folder with folders of sessions, each with manifest.json and cp-*.json, or one of these",
    read: (source, path) => readGoTeamSource(source, basename(path)),
  },
  "claude-checkpoints": {
    isFile: false,
    usual: ".claude/checkpoints",
    looksLike: "a folder with one *.json for each workflow, such as .claude/checkpoints",
    read: (source) => readClaudeCheckpointsSource(source),
  },
  crunch: {
    isFile: false,
    usual: ".claude/crunch",
    looksLike:
      "a folder such as .claude/crunch, or that of an issue in it, with checkpoints/CP-*.yaml",
    read: (source, path) =>
      readCrunchSource(source, { own: basename(path), above: basename(dirname(path)) }),
  },
  flowspec: {
    isFile: true,
    usual: ".flowspec/checkpoints.json",
    looksLike: "a file such as .flowspec/checkpoints.json",
    read: (source, path) => readFlowspecSource(source, basename(path)),
  },
};

export class FilesOldFormats implements OldFormats {
  lookIn(root: string): { format: OldFormat; path: string }[] {
    return OLD_FORMATS.flatMap((format) => {
      const { usual } = SHAPES[format];
      const path = usual === undefined ? undefined : join(root, usual);
      return path === undefined || !existsSync(path) ? [] : [{ format, path }];
    });
  }

  async read({ format, path, progress }: OldFormatOrder): Promise<OldFormatContent> {
    const shape = SHAPES[format];
    const found = locate(path, format, shape);
    const source = new SourceReader(
      new SourceFolder(shape.isFile ? dirname(found) : found),
      progress.begin("reading old checkpoints"),
    );
    try {
      const sessions = await shape.read(source, found);
      if (sessions.length === 0 && source.problems.length === 0) throw nothing(format, path, shape);
      return { path: found, sessions, problems: source.problems };
    } catch (error) {
      throw asFailure(error, `reading ${path}`);
    } finally {
      source.end();
    }
  }
}

function locate(path: string, format: OldFormat, { isFile, looksLike }: Shape): string {
  let found: string;
  try {
    found = realpathSync(path);
    const stat = statSync(found);
    if (isFile ? !stat.isFile() : !stat.isDirectory()) {
      throw new Error(isFile ? "it is not a file" : "it is not a folder");
    }
  } catch (error) {
    throw new Failure("file_not_found", `${path} cannot be read: ${readProblem(error)}`, {
      hint: `\`--from ${format}\` takes ${looksLike}. Nothing was changed.`,
      cause: error,
    });
  }
  return found;
}

function nothing(format: OldFormat, path: string, { looksLike }: Shape): Failure {
  return new Failure("checkpoint_not_found", `${path} contains no ${format} data`, {
    hint: `\`--from ${format}\` takes ${looksLike}. Nothing was changed.`,
  });
}
