// The work that is timed: one group of cases for each kind, in which all contenders do the same.
import { FLOOR, floorCases, NODE, STATUS } from "./contenders/floor.mjs";
import { waymark, waymarkLibrary } from "./contenders/waymark.mjs";
import { BIN } from "./process.mjs";
import { change, contentOf, isIntact } from "./repository.mjs";

/** @typedef {import("./measure.mjs").Case} Case */
/** @typedef {import("./contenders/contender.mjs").Contender} Contender */
/** @typedef {import("./contenders/contender.mjs").Snapshot} Snapshot */
/** @typedef {import("./repository.mjs").Repository} Repository */

/**
 * @typedef {object} Work
 * @property {string} kind for `--only`
 * @property {string} title
 * @property {(contenders: readonly Contender[]) => Case[]} cases none where this cannot be done
 */

export const ROLLBACK = "**`waymark rollback`**";
export const ROLLBACK_INDEX = "**`waymark rollback`**, 2 of them staged since";
export const HOOK_READS = "`waymark hook`, a tool that only reads";

/** Three tracked files and an untracked one, so that there is something to store. @param {Repository} repository */
export const fourFiles = ({ modified, untracked }) => [
  ...modified.slice(0, 3),
  ...untracked.slice(0, 1),
];

/** Whether plain git finds these files in a snapshot as they are on the disk. @param {Contender} contender @param {Snapshot} snapshot @param {readonly string[]} paths */
export function holds({ tools, repository }, { gitDir, tracked, untracked }, paths) {
  return paths.every((path) => {
    const tree = repository.untracked.includes(path) ? untracked : tracked;
    if (tree === undefined) return true;
    const name = tree.includes(":") ? `${tree}/${path}` : `${tree}:${path}`;
    const held = tools.git(repository.folder, `--git-dir=${gitDir}`, "cat-file", "blob", name);
    return held === contentOf(repository, [path]);
  });
}

/** @param {Contender} contender @param {(repository: Repository) => readonly string[]} changed @param {(repository: Repository) => readonly string[]} [looked] @returns {Case} */
function createCase(contender, changed, looked = changed) {
  const { name, peer, repository, create, snapshot, timed } = contender;
  return {
    name,
    peer,
    prepare: () => change(repository, changed(repository)),
    run: create,
    ...(timed && { timed }),
    check: (output) => holds(contender, snapshot(output), looked(repository)),
  };
}

/** @param {readonly Contender[]} contenders */
function ownOf([own]) {
  if (own === undefined) throw new Error("nobody takes part");
  return own;
}

/** @param {readonly Contender[]} contenders @param {readonly string[]} names @returns {Case[]} */
function floor(contenders, names = [STATUS]) {
  const { tools, repository } = ownOf(contenders);
  return floorCases(tools, repository.folder).filter(({ name }) => names.includes(name));
}

/** @type {Work} */
const create = {
  kind: "create",
  title: "Create: 20 modified, 10 untracked, 5 staged; 4 files are new since the last one",
  cases: (contenders) => {
    const own = ownOf(contenders);
    const { tools, repository } = own;
    const { folder, modified } = repository;
    const fast = waymark(own, {
      name: "`waymark create --durability fast`",
      args: ["--durability", "fast"],
    });
    const added = createCase({ ...own, name: "`waymark create` after a `git add`" }, fourFiles);
    return [
      ...floor(contenders, [STATUS, NODE, FLOOR]),
      {
        name: "`waymark --version` (its start alone)",
        run: () => tools.waymark(folder, "--version"),
      },
      createCase(own, fourFiles),
      createCase(fast, fourFiles),
      {
        ...added,
        prepare: () => {
          added.prepare?.();
          tools.git(folder, "add", ...modified.slice(19));
          change(repository, modified.slice(19));
        },
      },
      createCase(waymarkLibrary(own), fourFiles),
      ...contenders
        .slice(1)
        .flatMap((peer) => [
          ...(peer.startUp === undefined ? [] : [peer.startUp]),
          createCase(peer, fourFiles),
        ]),
    ];
  },
};

/** @type {Work} */
const clean = {
  kind: "clean",
  title: "Create with nothing changed since the last one",
  cases: (contenders) => [
    ...floor(contenders),
    ...contenders.map((contender) => {
      const { name, peer, create: run, snapshot, timed, repository } = contender;
      return {
        name,
        peer,
        run,
        ...(timed && { timed }),
        check: (/** @type {string} */ output) =>
          (peer || output.startsWith("unchanged ")) &&
          holds(contender, snapshot(output), fourFiles(repository)),
      };
    }),
  ],
};

/** @type {Work} */
const rollback = {
  kind: "rollback",
  title: "Rollback of 20 files",
  cases: (contenders) => {
    const own = ownOf(contenders);
    const target = restoreTarget(own);
    return [
      ...floor(contenders),
      restoreCase({ ...own, name: ROLLBACK }, [], target),
      restoreCase({ ...own, name: ROLLBACK_INDEX }, own.repository.modified.slice(18), target),
      restoreCase(waymarkLibrary(own), [], target),
      ...contenders
        .slice(1)
        .filter(({ restore }) => restore !== undefined)
        .map((peer) => restoreCase({ ...peer, name: peer.restoreName ?? peer.name }, [])),
    ];
  },
};

/**
 * The snapshot that is restored again and again, and what it holds. All cases of one repository share it.
 * @param {Contender} contender
 */
function restoreTarget(contender) {
  const { repository } = contender;
  const paths = [...repository.modified, ...repository.untracked];
  const read = () => contentOf(repository, paths);
  /** @type {{ id: string, content: string } | undefined} */ let target;
  return {
    get: () => {
      if (target !== undefined) return target;
      change(repository, fourFiles(repository));
      return (target = { id: contender.snapshot(contender.create()).id, content: read() });
    },
    isThere: () => read() === target?.content,
  };
}

/**
 * @param {Contender} contender @param {readonly string[]} staged after the snapshot
 * @param {ReturnType<typeof restoreTarget>} [target] @returns {Case}
 */
function restoreCase(contender, staged, target = restoreTarget(contender)) {
  const { name, peer, tools, repository, restore, timed, keepsIndex } = contender;
  return {
    name,
    peer,
    prepare: () => {
      target.get();
      change(repository, repository.modified);
      if (staged.length > 0) tools.git(repository.folder, "add", ...staged);
    },
    run: () => restore?.(target.get().id) ?? "",
    ...(timed && { timed }),
    check: () => target.isThere() && (!keepsIndex || isIntact(tools, repository)),
  };
}

/** @type {Work} */
const hook = {
  kind: "hook",
  title: "Hook: what an agent waits for before each of its tools",
  cases: (contenders) => [...floor(contenders, [STATUS, NODE]), ...hookCases(ownOf(contenders))],
};

/** @param {Contender} own @returns {Case[]} */
function hookCases({ tools, repository }) {
  const { folder, modified } = repository;
  let calls = 0;
  /** @param {string} tool */
  const call = (tool) => {
    const payload = {
      session_id: "bench",
      cwd: folder,
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: { file_path: `${folder}/${modified[0]}`, content: "x\n" },
      tool_use_id: `call-${calls++}`,
    };
    return tools.run(process.execPath, [BIN, "hook", "claude"], {
      cwd: folder,
      input: Buffer.from(JSON.stringify(payload)),
    });
  };
  const newest = () => tools.waymark(folder, "list", "--limit", "1");
  let before = "";
  /** Hooks say nothing: what they did is seen in the list. @param {boolean} isNew */
  const took = (isNew) => (/** @type {string} */ output) =>
    output === "" && (newest() !== before) === isNew;
  /** @param {() => void} prepare */
  const after = (prepare) => () => {
    tools.waymark(folder, "create");
    prepare();
    before = newest();
  };
  return [
    { name: HOOK_READS, prepare: after(() => {}), run: () => call("Read"), check: took(false) },
    {
      name: "`waymark hook`, nothing changed",
      prepare: after(() => {}),
      run: () => call("Write"),
      check: took(false),
    },
    {
      name: "**`waymark hook`**, 20 files changed",
      prepare: after(() => change(repository, modified)),
      run: () => call("Write"),
      check: took(true),
    },
  ];
}

/** All of them new since the last snapshot. @type {Work} */
const dirty = {
  kind: "dirty",
  title: "Create with 2,500 dirty files, all of them new since the last one",
  cases: (contenders) => dirtyCases(contenders, ({ many }) => many),
};

/** What is known from the last snapshot need not be read again. @type {Work} */
const dirtyAgain = {
  kind: "dirty",
  title: "Create with 2,500 dirty files, 4 of them new since the last one",
  cases: (contenders) => dirtyCases(contenders, ({ many }) => many.slice(0, 4)),
};

/** @param {readonly Contender[]} contenders @param {(repository: Repository) => readonly string[]} changed */
function dirtyCases(contenders, changed) {
  if (ownOf(contenders).repository.many.length === 0) return [];
  return [
    ...floor(contenders),
    ...contenders.map((contender) =>
      createCase(contender, changed, ({ many }) => [...many.slice(0, 2), ...many.slice(-2)]),
    ),
  ];
}

/** In this order: what comes last leaves 2,500 dirty files. */
export const WORK = [create, clean, rollback, hook, dirty, dirtyAgain];
