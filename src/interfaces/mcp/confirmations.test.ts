import { describe, expect, it } from "vitest";
import { Confirmations, TOKEN_MINUTES } from "./confirmations.ts";

const ORDER = { subject: "rollback to a", whole: "rollback to a, files only" };
const OTHER_OPTIONS = { subject: "rollback to a", whole: "rollback to a" };
const ELSEWHERE = { subject: "rollback to b", whole: "rollback to b" };

describe("tokens of plans", () => {
  it("work once, for the order that they were given for", () => {
    const confirmations = new Confirmations();
    const token = confirmations.give(ORDER, "plan", "token");
    expect(confirmations.take(token, OTHER_OPTIONS, "token")).toBe("token_of_another_order");
    expect(confirmations.take(token, ORDER, "token")).toEqual({ fingerprint: "plan" });
    expect(confirmations.take(token, ORDER, "token")).toBe("token_used");
    expect(confirmations.take("made up", ORDER, "token")).toBe("token_unknown");
    expect(new Confirmations().take(token, ORDER, "token")).toBe("token_unknown");
  });

  it("of a question are for the answer to it, and those of a plan for models", () => {
    const confirmations = new Confirmations();
    const asked = confirmations.give(ORDER, "plan", "answer");
    expect(confirmations.take(asked, ORDER, "token")).toBe("token_unknown");
    expect(confirmations.take(asked, ORDER, "answer")).toEqual({ fingerprint: "plan" });
    const shown = confirmations.give(ORDER, "plan", "token");
    expect(confirmations.take(shown, ORDER, "answer")).toBe("token_unknown");
  });

  it("are of use for ten minutes", () => {
    let now = 0;
    const confirmations = new Confirmations(() => now);
    const first = confirmations.give(ORDER, "1", "token");
    const second = confirmations.give(ORDER, "2", "token");
    now = TOKEN_MINUTES * 60_000;
    expect(confirmations.take(first, ORDER, "token")).toEqual({ fingerprint: "1" });
    now += 1;
    expect(confirmations.take(second, ORDER, "token")).toBe("token_expired");
  });

  it("are not kept without end", () => {
    const confirmations = new Confirmations();
    const first = confirmations.give(ORDER, "plan", "token");
    for (let at = 0; at < 300; at++) confirmations.give(ORDER, "plan", "token");
    expect(confirmations.take(first, ORDER, "token")).toBe("token_unknown");
  });

  it("[R128] are void after a no, whatever their options, and those given later are not", () => {
    let now = 0;
    const confirmations = new Confirmations(() => now);
    const same = confirmations.give(ORDER, "plan", "token");
    const otherOptions = confirmations.give(OTHER_OPTIONS, "plan", "token");
    const elsewhere = confirmations.give(ELSEWHERE, "plan", "token");
    confirmations.decline(ORDER);
    expect(confirmations.take(same, ORDER, "token")).toBe("token_declined");
    expect(confirmations.take(otherOptions, OTHER_OPTIONS, "token")).toBe("token_declined");
    expect(confirmations.take(elsewhere, ELSEWHERE, "token")).toEqual({ fingerprint: "plan" });
    expect(confirmations.isDeclined(OTHER_OPTIONS)).toBe(true);
    expect(confirmations.isDeclined(ELSEWHERE)).toBe(false);
    const later = confirmations.give(ORDER, "plan", "token");
    expect(confirmations.take(later, ORDER, "token")).toEqual({ fingerprint: "plan" });
    now = TOKEN_MINUTES * 60_000 + 1;
    expect(confirmations.isDeclined(ORDER)).toBe(false);
  });
});
