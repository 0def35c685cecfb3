/** Finds `hook` on the command line without a parser: nothing that follows it may lead to a usage error, whose exit code blocks agents. */
export interface HookWords {
  readonly agent: string;
  readonly event: string | undefined;
  /** Of `-C`. */
  readonly directory: string | undefined;
}

/** Undefined: another command is called, or help is asked for. */
export function hookWords(argv: readonly string[]): HookWords | undefined {
  const words: string[] = [];
  let directory: string | undefined;
  for (let at = 2; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "-C") directory = argv[++at];
    else if (word === "--session") at++;
    else if (word === "--help" || word === "-h") return undefined;
    else if (!word.startsWith("-")) words.push(word);
    // Another command: what it takes is not ours to read.
    if (words.length > 0 && words[0] !== "hook") return undefined;
  }
  const [command, agent = "", event] = words;
  return command === "hook" ? { agent, event, directory } : undefined;
}
