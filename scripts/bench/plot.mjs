// Draws docs/benchmarks.svg: bars and lines of growth on logarithmic scales, as text, without a library. It has its own background and follows the
// reader's light or dark setting.

/** @typedef {{ label: string, value: number, note: string, role: Role }} Bar */
/** @typedef {{ label: string, points: { x: number, y: number }[], role: Role }} Line */
/** @typedef {"own" | "floor" | "other"} Role */
/** @typedef {{ title: string, bars: Bar[] }} BarPanel milliseconds */
/** @typedef {{ title: string, xTitle: string, lines: Line[] }} LinePanel milliseconds over a number of something */
/** @typedef {{ title: string, caption: string, bars: BarPanel[], growth: LinePanel | undefined }} Plot */

const WIDTH = 800;
const MARGIN = 20;
const LABELS = 215;
const NOTES = 118;
const ROW = 24;
const BAR = 15;
const PANEL_HEAD = 34;
const AXIS = 30;
const LINES_HEIGHT = 300;
const LINE_LABELS = 205;
const LABEL_GAP = 15;

const STYLE = `
  .back { fill: #ffffff; stroke: #d0d7de; }
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .head { font-size: 14px; font-weight: 600; }
  .quiet { fill: #59636e; font-size: 12px; }
  .grid { stroke: #d8dee4; stroke-width: 1; }
  .own { fill: #0969da; } .other { fill: #8c959f; } .floor { fill: #1a7f37; }
  text.own { font-weight: 600; fill: #0969da; } text.other { fill: #1f2328; } text.floor { fill: #1a7f37; }
  .line { fill: none; stroke-width: 1.6; }
  .line.own { fill: none; stroke: #0969da; stroke-width: 3.2; }
  .line.other { fill: none; stroke: #8c959f; }
  .line.floor { fill: none; stroke: #1a7f37; stroke-dasharray: 5 4; stroke-width: 2; }
  .lead { stroke: #afb8c1; stroke-width: 0.8; fill: none; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d; }
    text, text.other { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .grid { stroke: #262c34; }
    .own, text.own { fill: #58a6ff; } .other { fill: #6e7681; } .floor, text.floor { fill: #3fb950; }
    .line.own { stroke: #58a6ff; } .line.other { stroke: #768390; } .line.floor { stroke: #3fb950; }
    .lead { stroke: #484f58; }
  }
`;

/** @param {string} text */
const escape = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** @param {number} ms a power of ten */
const atTick = (ms) => duration(ms).replace(".0", "");

/**
 * Where a value lies between two powers of ten that enclose all of them.
 * @param {readonly number[]} values @param {number} from @param {number} to
 */
export function logScale(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9));
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  /** @param {number} value */
  const place = (value) => round(from + ((Math.log10(value) - low) / (high - low)) * (to - from));
  return { ticks, place };
}

/** Moves labels apart that would lie on each other, and keeps their order. @param {readonly number[]} wanted @param {number} gap @returns {number[]} */
export function spreadLabels(wanted, gap) {
  const order = wanted.map((y, at) => ({ y, at })).sort((left, right) => left.y - right.y);
  for (let at = 1; at < order.length; at++) {
    const [before, label] = [order[at - 1], order[at]];
    if (before && label) label.y = Math.max(label.y, before.y + gap);
  }
  // Those that were pushed down are brought back around where they belong.
  const last = order.at(-1);
  const shift = last === undefined ? 0 : (last.y - Math.max(...wanted)) / 2;
  /** @type {number[]} */ const placed = [];
  for (const { y, at } of order) placed[at] = round(y - shift);
  return placed;
}

/** @param {BarPanel} panel @param {number} top */
function drawBars({ title, bars }, top) {
  const left = MARGIN + LABELS;
  const right = WIDTH - MARGIN - NOTES;
  const { ticks, place } = logScale(
    bars.map(({ value }) => value),
    left,
    right,
  );
  const start = top + PANEL_HEAD;
  const end = start + bars.length * ROW;
  return [
    `<text class="head" x="${MARGIN}" y="${top + 18}">${escape(title)}</text>`,
    ...ticks.flatMap((tick) => [
      `<line class="grid" x1="${place(tick)}" y1="${start - 4}" x2="${place(tick)}" y2="${end}"/>`,
      `<text class="quiet" x="${place(tick)}" y="${end + 15}" text-anchor="middle">${atTick(tick)}</text>`,
    ]),
    ...bars.flatMap(({ label, value, note, role }, at) => {
      const y = start + at * ROW;
      const width = Math.max(1, round(place(value) - left));
      return [
        `<text class="${role}" x="${left - 8}" y="${y + 13}" text-anchor="end">${escape(label)}</text>`,
        `<rect class="${role}" x="${left}" y="${y + 1}" width="${width}" height="${BAR}" rx="2"/>`,
        `<text class="${role}" x="${left + width + 6}" y="${y + 13}">${escape(note)}</text>`,
      ];
    }),
  ];
}

/** @param {LinePanel} panel @param {number} top */
function drawLines({ title, xTitle, lines }, top) {
  const left = MARGIN + 46;
  const right = WIDTH - MARGIN - LINE_LABELS;
  const start = top + PANEL_HEAD;
  const end = start + LINES_HEIGHT;
  const all = lines.flatMap(({ points }) => points);
  const xs = [...new Set(all.map(({ x }) => x))].sort((a, b) => a - b);
  const y = logScale(
    all.map((point) => point.y),
    end,
    start,
  );
  const [first = 1, last = 10] = [xs[0], xs.at(-1)];
  /** @param {number} value */
  const x = (value) =>
    round(left + (Math.log(value / first) / Math.log(last / first || Math.E)) * (right - left));
  const ends = lines.map(({ points }) => points.at(-1) ?? { x: last, y: 1 });
  const labels = spreadLabels(
    ends.map((point) => y.place(point.y)),
    LABEL_GAP,
  );
  return [
    `<text class="head" x="${MARGIN}" y="${top + 18}">${escape(title)}</text>`,
    ...y.ticks.flatMap((tick) => [
      `<line class="grid" x1="${left}" y1="${y.place(tick)}" x2="${right}" y2="${y.place(tick)}"/>`,
      `<text class="quiet" x="${left - 6}" y="${y.place(tick) + 4}" text-anchor="end">${atTick(tick)}</text>`,
    ]),
    ...xs.flatMap((value) => [
      `<line class="grid" x1="${x(value)}" y1="${start}" x2="${x(value)}" y2="${end}"/>`,
      `<text class="quiet" x="${x(value)}" y="${end + 15}" text-anchor="middle">${value.toLocaleString("en-US")}</text>`,
    ]),
    `<text class="quiet" x="${(left + right) / 2}" y="${end + 31}" text-anchor="middle">${escape(xTitle)}</text>`,
    ...lines.flatMap(({ label, points, role }, at) => {
      const path = points.map((point) => `${x(point.x)},${y.place(point.y)}`).join(" ");
      const [tip, labelY = 0] = [ends[at] ?? { x: last, y: 1 }, labels[at]];
      return [
        `<polyline class="line ${role}" points="${path}"/>`,
        ...points.map(
          (point) =>
            `<circle class="${role}" cx="${x(point.x)}" cy="${y.place(point.y)}" r="${role === "own" ? 4 : 2.6}"/>`,
        ),
        `<polyline class="lead" points="${x(tip.x) + 5},${y.place(tip.y)} ${right + 16},${labelY}"/>`,
        `<text class="${role}" x="${right + 20}" y="${labelY + 4}">${escape(label)}</text>`,
      ];
    }),
  ];
}

/** @param {Plot} plot */
export function drawPlot({ title, caption, bars, growth }) {
  /** @type {string[]} */ const parts = [];
  let top = 62;
  for (const panel of bars) {
    parts.push(...drawBars(panel, top));
    top += PANEL_HEAD + panel.bars.length * ROW + AXIS;
  }
  if (growth !== undefined) {
    parts.push(...drawLines(growth, top));
    top += PANEL_HEAD + LINES_HEIGHT + AXIS + 16;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" aria-labelledby="title caption">
<title id="title">${escape(title)}</title>
<desc id="caption">${escape(caption)}</desc>
<style>${STYLE}</style>
<rect class="back" x="0.5" y="0.5" width="${WIDTH - 1}" height="${top - 1}" rx="8"/>
<text class="title" x="${MARGIN}" y="30">${escape(title)}</text>
<text class="quiet" x="${MARGIN}" y="49">${escape(caption)}</text>
${parts.join("\n")}
</svg>
`;
}
