/** What every part of a checkpoint has to do, also the work tree itself. Each adapter's test runs it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../domain/failure.ts";

/** One kind of part with a real thing behind it, as the suite sees it. */
export interface PartSubject<Held = unknown> {
  /**
   * Brings the real thing into one of three states. Every item of it differs from state to state, also by being there in one
   * and not in another.
   */
  put(state: 0 | 1 | 2): Promise<void>;
  /** The real thing as it is now, as a value to compare: contents, names, modes. */
  look(): Promise<unknown>;
  /** Captures and publishes. */
  capture(): Promise<Held>;
  /** What a safety checkpoint takes before `held` is restored. */
  captureLike(held: Held): Promise<Held>;
  digestOf(held: Held): string;
  /** What is wrong with what is held. */
  verify(held: Held): Promise<readonly string[]>;
  /** Everything up to the first change, and then nothing. */
  prepareOnly(to: Held, expected: Held): Promise<void>;
  /** Restores; answers with what was kept because it is somebody's work since, and what is not as it should be. */
  restore(
    to: Held,
    expected: Held,
  ): Promise<{ readonly kept: readonly string[]; readonly mismatches: readonly string[] }>;
  /** True where items are restored one by one: then those that nobody changed come back although others are kept. */
  readonly restoresItemByItem?: boolean;
  /** Ways to damage what is held, by name: each leaves it unusable. */
  readonly damages: Readonly<Record<string, (held: Held) => Promise<void>>>;
  /** What a preview says stands for what is there now. */
  nowOf(held: Held): Promise<string>;
  /** Everything that documents and descriptions say about it. */
  saysAbout(held: Held): Promise<string>;
  /** What must never be in there. */
  readonly secrets: readonly string[];
  /** Files that lie about outside of what is held, such as temporary ones. */
  litter(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function partKeeperSuite<Held>(
  make: () => Promise<PartSubject<Held>>,
  damages: readonly string[],
): void {
  describe("the contract of parts", () => {
    let subject: PartSubject<Held>;

    beforeEach(async () => {
      subject = await make();
    });
    afterEach(async () => {
      await subject.close();
    });

    async function lookAfter(state: 0 | 1 | 2): Promise<unknown> {
      await subject.put(state);
      return subject.look();
    }

    it("captures without changing anything, and leaves no temporary files", async () => {
      const before = await lookAfter(0);
      await subject.capture();
      expect(await subject.look()).toEqual(before);
      expect(await subject.litter()).toEqual([]);
    });

    it("gives the same content the same digest, and other content another", async () => {
      await subject.put(0);
      const first = subject.digestOf(await subject.capture());
      await subject.put(1);
      const second = subject.digestOf(await subject.capture());
      await subject.put(0);
      expect(subject.digestOf(await subject.capture())).toBe(first);
      expect(second).not.toBe(first);
    });

    it("[R112] tells by a preview whether what it would touch is still the same", async () => {
      await subject.put(0);
      const held = await subject.capture();
      await subject.put(1);
      const first = await subject.nowOf(held);
      await subject.put(2);
      expect(await subject.nowOf(held)).not.toBe(first);
      await subject.put(1);
      expect(await subject.nowOf(held)).toBe(first);
    });

    it("finds nothing wrong with what was just captured", async () => {
      await subject.put(0);
      expect(await subject.verify(await subject.capture())).toEqual([]);
    });

    it("brings back what was captured, exactly, and the way back as well", async () => {
      const zero = await lookAfter(0);
      const held = await subject.capture();
      const one = await lookAfter(1);
      expect(one).not.toEqual(zero);
      const safety = await subject.captureLike(held);
      expect(await subject.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
      expect(await subject.look()).toEqual(zero);
      expect(await subject.restore(safety, held)).toEqual({ kept: [], mismatches: [] });
      expect(await subject.look()).toEqual(one);
      expect(await subject.litter()).toEqual([]);
    });

    it("changes nothing the second time", async () => {
      const zero = await lookAfter(0);
      const held = await subject.capture();
      await subject.put(1);
      const safety = await subject.captureLike(held);
      await subject.restore(held, safety);
      expect(await subject.restore(held, safety)).toEqual({ kept: [], mismatches: [] });
      expect(await subject.look()).toEqual(zero);
    });

    it("keeps and reports what somebody did since", async () => {
      await subject.put(0);
      const held = await subject.capture();
      await subject.put(1);
      const safety = await subject.captureLike(held);
      const two = await lookAfter(2);
      const { kept } = await subject.restore(held, safety);
      expect(kept).not.toEqual([]);
      if (subject.restoresItemByItem === true)
        expect(await subject.look()).toMatchObject(two as object);
      else expect(await subject.look()).toEqual(two);
    });

    it("changes nothing before everything is prepared", async () => {
      await subject.put(0);
      const held = await subject.capture();
      const one = await lookAfter(1);
      const safety = await subject.captureLike(held);
      await subject.prepareOnly(held, safety);
      expect(await subject.look()).toEqual(one);
      expect(await subject.litter()).toEqual([]);
    });

    it.each(damages)("finds damage and restores nothing then: %s", async (name) => {
      await subject.put(0);
      const held = await subject.capture();
      const one = await lookAfter(1);
      const safety = await subject.captureLike(held);
      const damage = subject.damages[name];
      if (damage === undefined) throw new Error(`nobody knows how to do this damage: ${name}`);
      await damage(held);
      expect(await subject.verify(held)).not.toEqual([]);
      await expect(subject.restore(held, safety)).rejects.toBeInstanceOf(Failure);
      expect(await subject.look()).toEqual(one);
      expect(await subject.verify(safety)).toEqual([]);
    });

    it("says nothing that is secret", async () => {
      await subject.put(0);
      const said = await subject.saysAbout(await subject.capture());
      expect(said).not.toBe("");
      for (const secret of subject.secrets) expect(said).not.toContain(secret);
    });
  });
}
