/**
 * What of a shell command surely is no secret: the program, and for programs that are known to have them the subcommand. Passwords stand anywhere else in a
 * command, and no pattern finds them all. Where it is not sure which word is the program, nothing is said.
 */

/** Programs whose first word says what they do. */
const WITH_SUBCOMMANDS = new Set(
  (
    "apt apt-get brew bun bundle cargo composer conda deno docker docker-compose dotnet gem gh git go gradle gradlew helm hg jj kubectl make mix mvn mvnw " +
    "npm pip pip3 pnpm podman poetry rake rustup systemctl terraform tofu uv waymark yarn"
  ).split(" "),
);

/** Programs that run another one, with the options that they have before it and that take no value. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  sudo: ["-E", "-H", "-S", "-n", "--"],
  doas: ["-n"],
  env: ["-i", "-"],
  npx: ["-y", "--yes"],
  bunx: [],
  command: [],
  exec: [],
  nice: [],
  nohup: [],
  time: [],
};

const SHELLS = new Set(["bash", "dash", "sh", "zsh"]);

const PROGRAM = /^(?:[^\s'"$`\\;&|<>(){}*?#!=]*\/)?([A-Za-z][\w.+-]{0,31})$/;
const SUBCOMMAND = /^[a-z][a-z-]{0,19}$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Undefined: nothing can be said. */
export function commandName(command: string | readonly string[]): string | undefined {
  const words = typeof command === "string" ? plainWords(command) : command;
  const [program, ...rest] = unwrapped(words);
  const name = PROGRAM.exec(program ?? "")?.[1];
  if (name === undefined) return undefined;
  const [first, inner] = rest;
  // Of a text the shell's own words are not known to be whole.
  const isInner = typeof command !== "string" && SHELLS.has(name) && /^-[a-z]*c$/.test(first ?? "");
  if (isInner && inner !== undefined) return commandName(inner) ?? name;
  const hasMore = WITH_SUBCOMMANDS.has(name) && first !== undefined && SUBCOMMAND.test(first);
  return hasMore ? `${name} ${first}` : name;
}

/** Without assignments and programs that only run the next one. A wrapper with options that are not known is the program itself. */
function unwrapped(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word));
  if (start === -1) return [];
  const [program = "", ...rest] = words.slice(start);
  const flags = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined;
  if (flags === undefined) return [program, ...rest];
  const inner = unwrapped(rest.slice(rest.findIndex((word) => !flags.includes(word))));
  return PROGRAM.test(inner[0] ?? "") ? inner : [program];
}

const CHANGE_OF_FOLDER = /^\s*cd\s+[\w./~-]+\s*(?:&&|;|\n)/;
/** A word as far as it is certain where it ends, and what comes after it. */
const WORD = /^[ \t]*((?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\;&|<>()#])+)(?=$|[\s;&|<>])/;

/** The words of the first simple command, up to one that only a shell can tell the end of. */
function plainWords(command: string): string[] {
  const words: string[] = [];
  let rest = command.trimStart();
  while (CHANGE_OF_FOLDER.test(rest)) rest = rest.replace(CHANGE_OF_FOLDER, "").trimStart();
  for (;;) {
    const [whole = "", word] = WORD.exec(rest) ?? [];
    if (word === undefined) return words;
    words.push(word);
    rest = rest.slice(whole.length);
    // `NAME=value; program`: assignments of their own.
    const next = /^[ \t]*[;\n]\s*/.exec(rest)?.[0];
    if (next !== undefined && words.every((each) => ASSIGNMENT.test(each))) {
      rest = rest.slice(next.length);
    }
  }
}
