import { expect, test } from "vitest";
import { drawPlot, duration, logScale, spreadLabels } from "../../scripts/bench/plot.mjs";

test("a logarithmic scale lies between powers of ten", () => {
  const { ticks, place } = logScale([20, 3000], 0, 300);
  expect(ticks).toEqual([10, 100, 1000, 10_000]);
  expect([place(10), place(100), place(10_000)]).toEqual([0, 100, 300]);
});

test("one value, and a power of ten itself, still have a scale", () => {
  expect(logScale([100], 0, 100).ticks).toEqual([100, 1000]);
});

test("labels that would lie on each other are moved apart and keep their order", () => {
  const placed = spreadLabels([100, 10, 102, 101], 15);
  const [a = 0, b = 0, c = 0, d = 0] = placed;
  expect(b).toBeLessThan(a);
  expect(d - a).toBeCloseTo(15);
  expect(c - d).toBeCloseTo(15);
});

test("times are read as people say them", () => {
  expect([4.26, 567, 1784, 11_153].map(duration)).toEqual(["4.3 ms", "567 ms", "1.8 s", "11 s"]);
});

test("a plot is well-formed, has every contender, and lets no name become markup", () => {
  const svg = drawPlot({
    title: "How long",
    caption: "a & b",
    bars: [
      {
        title: "Create",
        bars: [
          { label: "own", value: 50, note: "50 ms", role: "own" },
          { label: "<script>", value: 5000, note: "5 s", role: "other" },
        ],
      },
    ],
    growth: {
      title: "Grows",
      xTitle: "files",
      lines: [
        {
          label: "own",
          role: "own",
          points: [
            { x: 200, y: 10 },
            { x: 100_000, y: 500 },
          ],
        },
      ],
    },
  });
  expect(svg).toContain("&lt;script&gt;");
  expect(svg).not.toContain("<script>");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const opened = [...svg.matchAll(/<([a-z]+)\b[^>]*?(\/?)>/g)].filter(
    ([, , closed]) => closed === "",
  );
  expect(opened.length).toBe([...svg.matchAll(/<\/[a-z]+>/g)].length);
  expect(svg).toMatch(/viewBox="0 0 800 \d+"/);
  expect(svg).toContain("prefers-color-scheme: dark");
});
