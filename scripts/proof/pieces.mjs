// Runs that were made in pieces: the command that repeats all of them.

/**
 * Every piece leaves its result in a file, and the last one counts them all.
 * @param {readonly string[]} earlier commands of the pieces before @param {string} own
 */
export function commandOfPieces(earlier, own) {
  if (earlier.length === 0) return own;
  const files = earlier.map((_, at) => `piece-${at + 1}.json`);
  return [
    ...earlier.map((command, at) =>
      withWords(command.replace(/ --write\b/, ""), `--json ${files[at]}`),
    ),
    withWords(own, `--with ${files.join(",")}`),
  ].join(" && ");
}

/** @param {string} command @param {string} words */
const withWords = (command, words) =>
  / -- /.test(command) ? `${command} ${words}` : `${command.replace(/ --$/, "")} -- ${words}`;
