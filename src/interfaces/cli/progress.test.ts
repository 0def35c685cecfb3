import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ShownTask } from "./progress.ts";

beforeEach(() => vi.stubEnv("TERM", "xterm"));
afterEach(() => vi.unstubAllEnvs());

class Stream {
  readonly isTTY: boolean;
  readonly columns = 80;
  text = "";
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): void {
    this.text += text;
  }
}

describe("progress", () => {
  it("of short work is not shown", () => {
    const stream = new Stream(true);
    let now = 0;
    const task = new ShownTask(stream, "capturing", { items: 10 }, () => now);
    now = 299;
    task.advance(10);
    task.end();
    expect(stream.text).toBe("");
  });

  it("is a bar with counts and bytes on a terminal, and goes away", () => {
    const stream = new Stream(true);
    let now = 0;
    const task = new ShownTask(stream, "capturing", { items: 4, bytes: 4000 }, () => now);
    now = 300;
    task.advance(1, 1000);
    expect(stream.text).toBe(
      "\r\u001B[Kcapturing [######------------------] 25%  1/4, 1.0 KB/4.0 KB",
    );
    now = 350;
    task.advance(1, 1000);
    expect(stream.text).not.toContain("50%");
    now = 400;
    task.advance(1, 1000);
    expect(stream.text).toContain("75%");
    task.end();
    expect(stream.text.endsWith("\r\u001B[K")).toBe(true);
  });

  it("of the whole is shown again when a part has ended", () => {
    const stream = new Stream(true);
    let now = 0;
    const task = new ShownTask(stream, "rolling back", {}, () => now);
    now = 299;
    task.resume();
    expect(stream.text).toBe("");
    now = 300;
    task.resume();
    expect(stream.text).toBe("\r\u001B[Krolling back: …");
    task.end();
  });

  it("is now and then a line elsewhere", () => {
    const stream = new Stream(false);
    let now = 0;
    const task = new ShownTask(stream, "checking", { items: 4 }, () => now);
    for (const at of [999, 1000, 5999, 6000]) {
      now = at;
      task.advance(1);
    }
    task.end();
    expect(stream.text).toBe("checking: 2/4\nchecking: 4/4\nchecking: 4/4, done\n");
  });

  it("of bytes alone counts nothing else", () => {
    const stream = new Stream(false);
    let now = 0;
    const task = new ShownTask(stream, "dumping shop", {}, () => now);
    now = 1000;
    task.advance(0, 2900);
    task.end();
    expect(stream.text).toBe("dumping shop: 2.9 KB\ndumping shop: 2.9 KB, done\n");
  });
});
