/** Workflow files in YAML. Their text is kept with the session, so one that holds secrets is refused. */
import { createHash } from "node:crypto";
import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { parsePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import { findSecret } from "../../domain/secrets/find-secret.ts";
import { secretText } from "../../domain/secrets/secret-text.ts";
import { sensitiveNames } from "../../domain/sensitive-name.ts";
import { asFailure } from "../../domain/system-error.ts";
import { checkWorkflow } from "../../domain/workflow/check-workflow.ts";
import type { Workflow } from "../../domain/workflow/definition.ts";
import { workflowFailure } from "../../domain/workflow/file-problems.ts";
import type { Config } from "../../domain/config.ts";
import type { ReadWorkflow, WorkflowFiles } from "../../ports/workflow-files.ts";
import { isMissing } from "./errors.ts";
import { NoText, readText } from "./read-text.ts";
import { realOrSame, whereItLeads } from "./real-path.ts";

export interface WorkflowPlace {
  /** The root of the project. */
  readonly root: string;
  /** The folder that paths are given from. */
  readonly directory: string;
  readonly secrets: Config["secrets"];
}

const START = { line: 1, column: 1 };

export class YamlWorkflowFiles implements WorkflowFiles {
  readonly #place: WorkflowPlace;

  constructor(place: WorkflowPlace) {
    this.#place = place;
  }

  async read(path: string): Promise<ReadWorkflow> {
    const full = resolve(this.#place.directory, path);
    const text = readGiven(full, path);
    this.#refuseSecrets(full, path, text);
    return {
      workflow: await this.parse(text, path),
      source: {
        path: fromRoot(this.#place.root, full),
        digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
        text,
      },
    };
  }

  async parse(text: string, path: string): Promise<Workflow> {
    const { parseYaml } = await import("./config-yaml.ts");
    const parsed = parseYaml(text);
    if (parsed.kind === "wrong") throw workflowFailure(path, parsed.errors);
    // Tags that nobody knows: what they would make of the value is anybody's guess.
    if (parsed.oddities.length > 0) throw workflowFailure(path, parsed.oddities);
    const checked = checkWorkflow(parsed.root);
    if (checked.kind === "wrong") throw workflowFailure(path, checked.problems);
    return checked.workflow;
  }

  async isHarmless(path: string): Promise<boolean> {
    const { root, secrets } = this.#place;
    const isSensitive = sensitiveNames(secrets.patterns);
    const full = resolve(root, path);
    return [full, whereItLeads(full)].every((each) => {
      const inside = fromRoot(root, each);
      const isOurs =
        !isAbsolute(inside) && !/(?:^|\/)(?:\.git|\.checkpoints)(?:\/|$)/i.test(inside);
      return isOurs && !isSensitive(parsePath(inside));
    });
  }

  async currentText(path: string): Promise<string | undefined> {
    try {
      return readText(realpathSync(resolve(this.#place.root, path)));
    } catch {
      return undefined;
    }
  }

  #refuseSecrets(full: string, path: string, text: string): void {
    const { exclude, patterns, scan } = this.#place.secrets;
    const isSensitive = sensitiveNames(patterns);
    const paths = [full, realOrSame(full)].map((each) =>
      parsePath(fromRoot(this.#place.root, each)),
    );
    if (exclude && paths.some(isSensitive)) {
      throw workflowFailure(path, [
        { ...START, message: `${secretText({ reason: "sensitive" })}; ${KEPT}` },
      ]);
    }
    const found = scan ? findSecret(text) : undefined;
    if (found === undefined) return;
    const reason = secretText({ reason: "sensitive_content", detail: found });
    const line =
      1 +
      Math.max(
        0,
        text.split("\n").findIndex((each) => findSecret(each) === found),
      );
    throw workflowFailure(path, [{ line, column: 1, message: `this ${reason}; ${KEPT}` }]);
  }
}

const KEPT =
  "the session stores the text of the workflow, so pass secrets in environment variables instead";

function readGiven(full: string, path: string): string {
  try {
    return readText(realpathSync(full));
  } catch (error) {
    if (error instanceof NoText) {
      throw workflowFailure(path, [{ ...START, message: error.message }]);
    }
    if (isMissing(error)) throw missing(full, path);
    throw asFailure(error, `${path} cannot be read`);
  }
}

function missing(full: string, path: string): Failure {
  const nearest = nearestName(basename(full), namesBeside(full));
  const hint =
    nearest === undefined
      ? "Name a workflow file; `waymark help workflow-file` shows one."
      : `Did you mean ${join(dirname(path), nearest)}?`;
  return new Failure("file_not_found", `no such file: ${path}`, {
    hint,
    details: { file: path },
  });
}

function namesBeside(full: string): string[] {
  try {
    return readdirSync(dirname(full));
  } catch {
    return [];
  }
}

/** As the session keeps it: from the root of the project, or absolute when it is outside. A link stays the link that it is. */
function fromRoot(root: string, full: string): string {
  const place = join(realOrSame(dirname(full)), basename(full));
  const inside = relative(realOrSame(root), place);
  return inside === ".." || inside.startsWith("../") ? place : inside;
}
