// The table and the figure of the user's own git, and which of it passes the bounds.
import { count } from "../bench/markdown-table.mjs";
import { judgeUsersGit } from "./judge.mjs";

/** @typedef {import("./users-git.mjs").UserRow} UserRow */
/** @typedef {{ checkpoints: number, sessions: number }} Size */

/**
 * @param {readonly UserRow[]} rows @param {readonly Size[]} sizes in the order of the rows' times @param {number} rounds
 * @returns {{ section: import("./report.mjs").Section, figure: import("../proof/figures.mjs").Figure, wrong: string[] }}
 */
export function usersGitReport(rows, sizes, rounds) {
  const titles = sizes.map(
    ({ checkpoints, sessions }) => `${count(checkpoints)} checkpoints, ${count(sessions)} sessions`,
  );
  /** @param {UserRow} row @param {number} at */
  const verdictOf = (row, at) =>
    judgeUsersGit(row, sizes[at]?.checkpoints ?? NaN, row.withMs[at] ?? NaN);
  const judged = rows.flatMap((row) =>
    sizes.flatMap((_, at) => {
      const verdict = verdictOf(row, at);
      return verdict === undefined ? [] : [{ command: row.command, verdict }];
    }),
  );
  const wrong = judged
    .filter(({ verdict }) => verdict !== "")
    .map(({ command, verdict }) => `${command}: ${verdict}`);
  return {
    section: {
      id: "users-git",
      title: "Your own git",
      head: ["", "CPU without any, ms", ...titles.map((title) => `to that: ${title}`)],
      rows: rows.map((row) => [
        row.command,
        row.withoutMs.toFixed(1),
        ...row.withMs.map((ms, at) => {
          const cell = `${(ms / row.withoutMs).toFixed(2)}x, ${ms.toFixed(1)} ms`;
          return verdictOf(row, at) ? `${cell} (**wrong**)` : cell;
        }),
      ]),
      note: `The mean of ${rounds} rounds each, interleaved.`,
    },
    figure: {
      id: "users-git",
      what: `git commands of the user beside ${titles.at(-1) ?? ""}`,
      tried: judged.length,
      wrong: wrong.length,
      detail: rows
        .map(({ command, withoutMs, withMs }) => {
          const [usual, most] = [withMs[0] ?? NaN, withMs.at(-1) ?? NaN];
          return `${command} ${(most / withoutMs).toFixed(1)}x (${(usual / withoutMs).toFixed(1)}x beside ${count(sizes[0]?.checkpoints ?? 0)})`;
        })
        .join(", "),
    },
    wrong,
  };
}
