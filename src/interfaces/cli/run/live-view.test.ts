import { describe, expect, it } from "vitest";
import { LiveView } from "./live-view.ts";

/** As much of a terminal as the view needs: lines, a cursor, going up, clearing. */
class Screen {
  readonly isTTY = true;
  readonly columns = 20;
  readonly rows = 10;
  lines: string[] = [""];
  #row = 0;

  write(text: string): void {
    // oxlint-disable-next-line no-control-regex
    for (const part of text.split(/(\u001b\[\d*[AKJ]|\r|\n)/)) this.#add(part);
  }

  #add(part: string): void {
    // oxlint-disable-next-line no-control-regex
    const up = /^\u001b\[(\d+)A$/.exec(part)?.[1];
    if (up !== undefined) this.#row -= Number(up);
    else if (part === "\n") this.#row += 1;
    else if (part === "\u001b[J") this.lines = this.lines.slice(0, this.#row);
    else if (part !== "\r" && part !== "\u001b[K" && part !== "") this.lines[this.#row] = part;
  }
}

describe("a live view", () => {
  it("draws in place, with other lines above it, and gives way to a question", async () => {
    const screen = new Screen();
    let frame = ["one", "two"];
    const view = new LiveView(screen, () => frame);
    view.begin();
    expect(screen.lines).toEqual(["one", "two"]);
    view.above("said");
    expect(screen.lines).toEqual(["said", "one", "two"]);
    frame = ["only"];
    view.draw();
    expect(screen.lines).toEqual(["said", "only"]);
    await view.aside(() => {
      expect(screen.lines).toEqual(["said"]);
      screen.write("question\n");
      view.draw();
      expect(screen.lines).toEqual(["said", "question"]);
      return Promise.resolve();
    });
    expect(screen.lines).toEqual(["said", "question", "only"]);
    frame = ["end"];
    view.end();
    view.end();
    view.above("after");
    expect(screen.lines).toEqual(["said", "question", "end", "after"]);
  });

  it("never draws more than fits", () => {
    const screen = new Screen();
    const view = new LiveView(screen, (_, rows) => Array.from({ length: rows + 5 }, () => "x"));
    view.begin();
    view.end();
    expect(screen.lines.length).toBeLessThan(screen.rows);
  });
});
