// One file that is larger than what fits into memory, untracked and tracked.
import {
  closeSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { buildRepository } from "../../bench/repository.mjs";
import { createdId } from "./common.mjs";

const MIB = 1024 * 1024;
const SMALL = 200;
const FILE = "model.bin";
/** @param {number} file @param {number} total what it, and all changed files together, may have in mebibytes */
const settings = (file, total) => `capture:
  max_file_mb: ${file}
  max_total_mb: ${total}
`;

/**
 * Bytes that hardly compress, made of one random piece, so that it is not the making that takes the time.
 * @param {string} path @param {number} mebibytes @param {string} word makes it different
 */
function writeLarge(path, mebibytes, word) {
  const piece = randomBytes(MIB);
  const fd = openSync(path, "w");
  try {
    for (let number = 0; number < mebibytes; number++) {
      piece.write(`${word} ${number} `);
      writeSync(fd, piece);
    }
  } finally {
    closeSync(fd);
  }
}

/** @param {import("../watch.mjs").Watched} result */
const isNamed = ({ stderr }) => stderr.includes(FILE) || `says nothing about it: ${stderr}`;

/** @param {string} path */
function digest(path) {
  const sum = createHash("sha1");
  const fd = openSync(path, "r");
  const piece = Buffer.alloc(MIB);
  try {
    for (;;) {
      const got = readSync(fd, piece);
      if (got === 0) return sum.digest("hex");
      sum.update(piece.subarray(0, got));
    }
  } finally {
    closeSync(fd);
  }
}

/** @type {import("../scenarios.mjs").Scenario} */
export const largeFile = {
  id: "large",
  size: 5120,
  unit: "MiB in one file",
  // Read, written and hashed in pieces: whatever its size.
  bytesPerItem: 4000,
  // The file, its copies in the packs of two checkpoints, the commit's own, and what a rollback stages.
  diskPerItem: 5 * MIB,
  build: (site, size) => {
    const { tools, project } = site;
    buildRepository(tools, project, SMALL);
    const path = join(project, FILE);
    const before = createdId(site);
    writeLarge(path, size, "first");
    let sum = "";
    const isBack = () => (digest(path) === sum ? true : `${FILE} is another one`);
    const config = join(project, "waymark.yml");
    const allow = (total = 4 * size) => writeFileSync(config, settings(4 * size, total));
    let changes = 0;
    /** As long as before, so that only its time and bytes tell. @param {number} mebibyte where */
    const touch = (mebibyte) => {
      const fd = openSync(path, "r+");
      writeSync(fd, `changed ${changes++} `, mebibyte * MIB);
      closeSync(fd);
    };
    const commit = () => {
      tools.git(project, "-c", "core.bigFileThreshold=100m", "add", FILE);
      tools.git(project, "commit", "-q", "-m", "large", "--", FILE);
    };
    return [
      {
        name: "untracked: `create` leaves it out by default",
        prepare: () => touch(0),
        args: ["create", "--force"],
        flat: true,
        check: isNamed,
      },
      {
        name: "untracked: `create` with room for it",
        prepare: () => {
          allow();
          sum = digest(path);
        },
        args: ["create", "--force"],
        once: true,
      },
      {
        name: "`create`, nothing changed",
        args: ["create"],
        flat: true,
        check: ({ stdout }) => stdout.startsWith("unchanged "),
      },
      {
        name: "`validate` of all",
        args: ["validate"],
        once: true,
        check: ({ stdout }) => / 0 invalid\n/.test(stdout) || stdout,
      },
      {
        name: "untracked: `rollback` removes it",
        args: ["rollback", before, "--yes"],
        once: true,
        check: () => statSync(path, { throwIfNoEntry: false }) === undefined,
      },
      {
        name: "untracked: `undo` brings it back",
        args: ["undo", "--yes"],
        once: true,
        check: isBack,
      },
      {
        name: "tracked and changed: `create` leaves it out by default",
        prepare: () => {
          if (existsSync(config)) {
            commit();
            writeLarge(path, size, "second");
            rmSync(config);
          }
          // Each run is the first one after a change: nothing that one remembers helps the next.
          touch(0);
        },
        args: ["create", "--force"],
        flat: true,
        check: isNamed,
      },
      {
        name: "tracked and changed: `create` refuses more than all files may have",
        prepare: () => {
          allow(Math.ceil(size / 2));
          touch(0);
        },
        args: ["create"],
        flat: true,
        code: REFUSED,
        check: isNamed,
      },
      {
        name: "tracked and changed: `create` with room for it",
        prepare: () => {
          allow();
          sum = digest(path);
        },
        args: ["create"],
        once: true,
      },
      { name: "`diff --stat` with HEAD's", args: ["diff", "latest~1", "--stat"], once: true },
      {
        name: "tracked and changed: `rollback`",
        prepare: () => touch(size - 1),
        args: ["rollback", "latest", "--yes"],
        once: true,
        check: isBack,
      },
    ];
  },
};

const REFUSED = 1;
