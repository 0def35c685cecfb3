// The table and the figure of the user's own git, and which of it passes the bounds.
import { count } from "../bench/markdown-table.mjs";
import { judgeUsersGit } from "./judge.mjs";

/** @typedef {import("./users-git.mjs").UserRow} UserRow */
/** @typedef {import("./users-git.mjs").Size} Size */

/**
 * @param {readonly UserRow[]} rows @param {readonly Size[]} sizes in the order of the rows' ratios @param {number} rounds
 * @returns {{ section: import("./report.mjs").Section, figure: import("../proof/figures.mjs").Figure, wrong: string[] }}
 */
export function usersGitReport(rows, sizes, rounds) {
  const titles = sizes.map(
    ({ checkpoints, history }) => `${count(checkpoints)} checkpoints, ${history}`,
  );
  const judged = rows.flatMap(({ command, ratios }) =>
    ratios.flatMap((ratio, at) =>
      sizes[at]?.checkpoints === 0
        ? []
        : [{ ratio, of: `${command}, ${titles[at]}`, verdict: judgeUsersGit(ratio) }],
    ),
  );
  const wrong = judged.flatMap(({ of, verdict }) => (verdict === "" ? [] : [`${of}: ${verdict}`]));
  const all = judged.map(({ ratio }) => ratio);
  return {
    section: {
      id: "users-git",
      title: "Your own git",
      head: ["", "CPU without any, ms", ...titles],
      rows: rows.map(({ command, withoutMs, ratios }) => [
        command,
        withoutMs.toFixed(1),
        ...ratios.map((ratio, at) => {
          const bad = sizes[at]?.checkpoints !== 0 && judgeUsersGit(ratio) !== "";
          return `${ratio.toFixed(2)}x${bad ? " (**wrong**)" : ""}`;
        }),
      ]),
      note: `The median of ${rounds} rounds each, interleaved.`,
    },
    figure: {
      id: "users-git",
      what: "git commands of the user beside checkpoints",
      tried: judged.length,
      wrong: wrong.length,
      detail: `${Math.min(...all).toFixed(2)}x to ${Math.max(...all).toFixed(2)}x`,
    },
    wrong,
  };
}
