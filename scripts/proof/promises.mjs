// What Waymark promises to people who trust it with work that exists nowhere else, where each promise is tried, and what of it is
// not covered. docs/reliability.md is made from this table, docs/spec.md (the rules) and docs/proof/ (the figures).

/**
 * @typedef {object} Promised
 * @property {string} id
 * @property {string} text
 * @property {readonly string[]} rules of docs/spec.md
 * @property {readonly (readonly [string, RegExp])[]} figures a file of docs/proof/ and which of its lines
 * @property {readonly string[]} tests files or folders of the normal tests
 * @property {string} notCovered in words; "" when nothing is known to be left out
 */

/** @type {readonly Promised[]} */
export const PROMISES = [
  {
    id: "P1",
    text: "`create` that is killed anywhere changes nothing of yours",
    rules: ["R11", "R16"],
    figures: [["faults", /^create (kill|kill-one|torn|interrupt)$/]],
    tests: ["test/faults/kill-points.test.ts"],
    notCovered: "",
  },
  {
    id: "P2",
    text: "a rollback that is killed anywhere ends before or after, by the next command",
    rules: ["R6", "R8", "R23"],
    figures: [["faults", /^rollback (kill|kill-one|torn|interrupt)$/]],
    tests: ["test/faults/kill-points.test.ts", "test/spec/rollback-rules.test.ts"],
    notCovered: "",
  },
  {
    id: "P3",
    text: "the same holds for undo, recovery itself, cleanup, import, export and an agent's hook",
    rules: ["R34", "R37", "R38", "R40", "R120"],
    figures: [
      [
        "faults",
        /^(undo|redo|recover|only-session|cleanup|delete|undelete|purge|grace|import|export|hook) (kill|kill-one|torn|interrupt)$/,
      ],
    ],
    tests: ["test/archive/kill-points.test.ts", "test/selective/take-back-faults.test.ts"],
    notCovered:
      "commands that only write one small file of settings (`init`, `config`, `hooks install`); Waymark has no sync",
  },
  {
    id: "P4",
    text: "what was reported as done survives a power cut",
    rules: ["R11", "R23"],
    figures: [["power-cuts", /power-cut/]],
    tests: [],
    notCovered:
      "cleanup, import and export are not cut; other file systems than ext4, disks that lie about having written",
  },
  {
    id: "P5",
    text: "a full disk or an I/O error anywhere is a clear failure, and everything is as it was",
    rules: ["R22"],
    figures: [
      ["faults", /^\S+ (enospc|eio|eacces|erofs|emfile)/],
      ["power-cuts", /disk-fills/],
    ],
    tests: ["test/faults/kill-points.test.ts"],
    notCovered: "errors that the kernel reports only after the file was closed (network disks)",
  },
  {
    id: "P6",
    text: "what another program saves in the meantime is never lost",
    rules: ["R7", "R18"],
    figures: [
      ["faults", /^\S+ save-/],
      ["concurrency", /^save |beside saves/],
    ],
    tests: ["test/states/promises.test.ts"],
    notCovered: "",
  },
  {
    id: "P7",
    text: "your own git at the same time: no checkpoint that is incomplete and called good",
    rules: ["R11", "R29"],
    figures: [
      ["faults", /^\S+ git-/],
      ["concurrency", /beside git$/],
    ],
    tests: ["test/states/promises.test.ts"],
    notCovered: "",
  },
  {
    id: "P8",
    text: "many agents at once, in one work tree and in linked ones",
    rules: ["R12", "R29", "R90", "R121"],
    figures: [
      ["concurrency", /^(create (command|library|hook)|one moment|two |rollback and )/],
      ["soak", /^at once$/],
    ],
    tests: ["test/hooks/at-once.test.ts", "test/sessions/chaos.test.ts"],
    notCovered: "agents on several machines that share a network disk",
  },
  {
    id: "P9",
    text: "create, anything, rollback: byte for byte what it was",
    rules: ["R1", "R3", "R5", "R20"],
    figures: [
      ["model", /^(runs|rollback|kill|carry)$/],
      ["soak", /^(rollback|restore|lost)$/],
    ],
    tests: ["test/model", "test/states/repository-states.test.ts"],
    notCovered:
      "what docs/known-limitations.md lists as not kept: times, owners, extended attributes, hard links",
  },
  {
    id: "P10",
    text: "`create` changes nothing, not even the bytes of the index",
    rules: ["R16"],
    figures: [
      ["model", /^create$/],
      ["soak", /^untouched$/],
    ],
    tests: ["test/states/repository-states.test.ts"],
    notCovered: "access times of the files that are read",
  },
  {
    id: "P11",
    text: "every rollback can be undone: the last hundred by `undo`, older ones by their safety checkpoints",
    rules: ["R10", "R20", "R144"],
    figures: [
      ["model", /^undo( after more work)?$/],
      ["soak", /^(undo|redo|order|undo to the end)$/],
    ],
    tests: ["test/states/repository-states.test.ts"],
    notCovered: "",
  },
  {
    id: "P12",
    text: "ignored files, nested repositories and other work trees are not touched",
    rules: ["R3", "R12", "R25"],
    figures: [["model", /^runs$/]],
    tests: ["test/states/repository-states.test.ts"],
    notCovered: "",
  },
  {
    id: "P13",
    text: "what is not captured is listed",
    rules: ["R17", "R43"],
    figures: [["tests", /^R(17|43)$/]],
    tests: ["test/spec/capture-rules.test.ts", "test/states/repository-states.test.ts"],
    notCovered: "",
  },
  {
    id: "P14",
    text: "odd names and kinds of files survive",
    rules: ["R15"],
    figures: [["tests", /^R15$/]],
    tests: ["test/states/odd-names.test.ts"],
    notCovered: "disks that do not tell upper from lower case",
  },
  {
    id: "P15",
    text: "all states that a repository can be in",
    rules: ["R4", "R5", "R12"],
    figures: [["model", /^runs$/]],
    tests: ["test/states/repository-states.test.ts"],
    notCovered: "reftables where git is older than 2.45",
  },
  {
    id: "P16",
    text: "damage is found and contained",
    rules: ["R26", "R35", "R36"],
    figures: [["hostile", /^documents/]],
    tests: ["test/states/damage.test.ts", "test/rebuild/rebuild.test.ts"],
    notCovered: "",
  },
  {
    id: "P17",
    text: "old versions are read, future ones refused and left alone",
    rules: ["R26"],
    figures: [["hostile", /^documents/]],
    tests: ["test/states/damage.test.ts", "src/domain/upcast.test.ts"],
    notCovered: "there has been one version so far",
  },
  {
    id: "P18",
    text: "time may jump",
    rules: ["R37", "R38", "R125"],
    figures: [["hostile", /^clock/]],
    tests: [
      "src/domain/retention.test.ts",
      "test/retention/grace.test.ts",
      "src/domain/selective/timeline.test.ts",
      "src/domain/selective/claims.test.ts",
    ],
    notCovered:
      "a clock that jumps between the steps of a session (R125) is tried in tests of the domain, and not at random",
  },
  {
    id: "P19",
    text: "limits of size hold, nothing is littered",
    rules: ["R19"],
    figures: [
      ["scale", /./],
      ["soak", /^(left over|nothing left|growth)$/],
    ],
    tests: ["test/retention/orphans.test.ts"],
    notCovered: "",
  },
  {
    id: "P20",
    text: "cleanup never takes what is live, and can be taken back for a time",
    rules: ["R37", "R38", "R39", "R40"],
    figures: [["faults", /^(cleanup|delete|undelete|purge|grace) /]],
    tests: ["test/retention/commands.test.ts", "test/retention/races.test.ts"],
    notCovered: "",
  },
  {
    id: "P21",
    text: "commits never leave a branch silently",
    rules: ["R24"],
    figures: [["tests", /^R24$/]],
    tests: ["test/spec/rollback-rules.test.ts"],
    notCovered: "commits on a detached HEAD are held, and not listed as leaving",
  },
  {
    id: "P22",
    text: "no code of the repository is run",
    rules: ["R30"],
    figures: [["hostile", /^canaries/]],
    tests: ["test/states/no-code-is-run.test.ts", "test/archive/no-code-is-run.test.ts"],
    notCovered: "",
  },
  {
    id: "P23",
    text: "hostile archives are refused, and nothing is changed",
    rules: ["R32", "R33", "R76"],
    figures: [["hostile", /^archives/]],
    tests: ["test/hostile/hostile-archives.test.ts", "test/hostile/random-damage.test.ts"],
    notCovered: "a checksum finds accidents and not forgers: archives are not signed",
  },
  {
    id: "P24",
    text: "hostile names and arguments are data",
    rules: ["R51", "R54"],
    figures: [["hostile", /^names/]],
    tests: ["test/cli/hostile-text.test.ts", "test/cli/completion.test.ts"],
    notCovered: "",
  },
  {
    id: "P25",
    text: "a rollback cannot be led out of the project",
    rules: ["R25"],
    figures: [["hostile", /^symlink race/]],
    tests: ["test/spec/rollback-rules.test.ts"],
    notCovered: "other systems than Linux look at every parent folder instead of holding it open",
  },
  {
    id: "P26",
    text: "no network unless asked",
    rules: ["R16"],
    figures: [["hostile", /^network/]],
    tests: [],
    notCovered: "",
  },
  {
    id: "P27",
    text: "secrets do not leave",
    rules: ["R52", "R53", "R54", "R75", "R91"],
    figures: [
      ["tests", /^R(52|53|54|75|91)$/],
      ["concurrency", /^secrets$/],
      ["soak", /^secrets$/],
    ],
    tests: ["test/secrets", "test/parts/leaving.test.ts"],
    notCovered: "a password without a shape in a file without a telling name is not found",
  },
  {
    id: "P28",
    text: "the MCP server answers only its client",
    rules: ["R111", "R112", "R114", "R115", "R116", "R128"],
    figures: [["hostile", /^mcp/]],
    tests: ["test/mcp"],
    notCovered: "there is no web page yet",
  },
  {
    id: "P29",
    text: "text from checkpoints cannot act",
    rules: ["R51", "R105", "R113"],
    figures: [["hostile", /^(names|payloads)/]],
    tests: ["test/cli/hostile-text.test.ts", "test/mcp/secrets.test.ts"],
    notCovered: "what a model does with text that it is told is data",
  },
  {
    id: "P30",
    text: "private files are for their user alone",
    rules: ["R67"],
    figures: [["hostile", /^permissions/]],
    tests: ["test/scope/scope.test.ts"],
    notCovered: "",
  },
  {
    id: "P31",
    text: "a live lock is never robbed, a dead one never blocks",
    rules: ["R8", "R29", "R96"],
    figures: [
      ["faults", /^\S+ pause/],
      ["concurrency", /^(two |rollback and )/],
    ],
    tests: ["src/adapters/files/owned-lock.test.ts", "test/sessions/chaos.test.ts"],
    notCovered: "locks of another machine on a shared disk are refused, not judged",
  },
  {
    id: "P32",
    text: "durability is a named choice, and its price is known",
    rules: ["R11"],
    figures: [],
    tests: ["src/adapters/git/publish.test.ts"],
    notCovered:
      "the price is in docs/benchmarks.md (`create` beside `create --durability fast`); no run holds it to a goal",
  },
  {
    id: "P33",
    text: "every error has a code, a cause and a next step",
    rules: ["R22", "R50", "R104"],
    figures: [["tests", /^R(22|50|104)$/]],
    tests: ["test/architecture/troubleshooting.test.ts", "test/cli/error-texts.test.ts"],
    notCovered:
      "that an error has a code and a hint is held by types and by these tests; no rule of its own says it",
  },
];
