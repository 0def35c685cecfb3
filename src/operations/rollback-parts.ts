/** The parts beside the work tree in one rollback: there, checked, and back again. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { HeldPart, PartKept } from "../ports/part-keeper.ts";
import {
  heldParts,
  partsInScope,
  pathsOf,
  prepareParts,
  takeBackParts,
  type PartExchange,
  type PartScope,
} from "./part-work.ts";
import type { Project } from "./project.ts";

export interface PartsOrder {
  readonly target: CheckpointDocument;
  readonly sessionId: string;
  readonly scope: PartScope;
  /** For an undo or redo: what the rollback that is taken back had gone to. */
  readonly putThereBy?: CheckpointDocument | undefined;
}

export class RollbackParts {
  readonly target: readonly HeldPart[];
  /** Their places among all parts of the target, for the record of what was begun. */
  readonly numbers: readonly number[];
  readonly #project: Project;
  readonly #order: PartsOrder;
  #safety: readonly HeldPart[] = [];
  #exchange: PartExchange | undefined;
  #isBegun = false;

  constructor(project: Project, order: PartsOrder) {
    this.#project = project;
    this.#order = order;
    this.target = partsInScope(project, order.target, order.scope, order.putThereBy);
    const wanted = new Set(this.target.map(({ part }) => part));
    this.numbers = heldParts(project, order.target).flatMap(({ part }, number) =>
      wanted.has(part) ? [number] : [],
    );
  }

  /** Everything that can fail, fails here. */
  async prepare(safety: CheckpointDocument): Promise<void> {
    if (this.target.length === 0) return;
    const { sessionId, scope } = this.#order;
    this.#safety = heldParts(this.#project, safety);
    this.#exchange = await prepareParts(
      this.#project,
      sessionId,
      this.target,
      this.#safety,
      pathsOf(scope),
    );
  }

  async apply(): Promise<PartKept[]> {
    if (this.#exchange === undefined) return [];
    this.#isBegun = true;
    return this.#exchange.apply();
  }

  async mismatches(): Promise<string[]> {
    return (await this.#exchange?.mismatches()) ?? [];
  }

  /** Safe at any time: what is as it was stays. */
  async takeBack(): Promise<readonly PartKept[]> {
    if (!this.#isBegun) return [];
    const { sessionId, scope } = this.#order;
    return takeBackParts(this.#project, sessionId, this.#safety, this.target, pathsOf(scope));
  }

  close(): void {
    this.#exchange?.close();
  }
}
