import { describe, expect, it } from "vitest";
import { Confirmations, TOKEN_MINUTES } from "./confirmations.ts";

describe("tokens of plans", () => {
  it("work once, for the order that they were given for", () => {
    const confirmations = new Confirmations();
    const token = confirmations.give("order", "plan");
    expect(confirmations.take(token, "another")).toBe("token_of_another_order");
    expect(confirmations.take(token, "order")).toEqual({ fingerprint: "plan" });
    expect(confirmations.take(token, "order")).toBe("token_used");
    expect(confirmations.take("made up", "order")).toBe("token_unknown");
    expect(new Confirmations().take(token, "order")).toBe("token_unknown");
  });

  it("are of use for ten minutes", () => {
    let now = 0;
    const confirmations = new Confirmations(() => now);
    const [first, second] = [confirmations.give("order", "1"), confirmations.give("order", "2")];
    now = TOKEN_MINUTES * 60_000;
    expect(confirmations.take(first, "order")).toEqual({ fingerprint: "1" });
    now += 1;
    expect(confirmations.take(second, "order")).toBe("token_expired");
  });

  it("are not kept without end", () => {
    const confirmations = new Confirmations();
    const first = confirmations.give("order", "plan");
    for (let at = 0; at < 300; at++) confirmations.give("order", "plan");
    expect(confirmations.take(first, "order")).toBe("token_unknown");
  });

  it("are no way around a user who said no, for the same time", () => {
    let now = 0;
    const confirmations = new Confirmations(() => now);
    confirmations.decline("order");
    expect(confirmations.isDeclined("order")).toBe(true);
    expect(confirmations.isDeclined("another")).toBe(false);
    now = TOKEN_MINUTES * 60_000 + 1;
    expect(confirmations.isDeclined("order")).toBe(false);
  });
});
