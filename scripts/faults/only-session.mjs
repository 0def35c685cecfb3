// A project in which two agents worked through their hooks, and what it is without the work of one of them.
import { blobId, takeFingerprint } from "./fingerprint.mjs";
import { script } from "./slot.mjs";
import { plain } from "./scenarios.mjs";
import { agentPayload, said, waymark } from "./waymark.mjs";

/** @typedef {import("./fingerprint.mjs").Fingerprint} Fingerprint */

/** Edits of lines that are apart, so that one can be taken back without the other. */
const LINES = Array.from({ length: 10 }, (_, number) => `line ${number + 1}`);

/** What each of them writes, in this order. @type {readonly (readonly [agent: string, path: string, how: string])[]} */
const STEPS = [
  ["alice", "src/app.txt", `echo "by alice" > src/app.txt`],
  ["bob", "src/lib.txt", `echo "by bob" >> src/lib.txt`],
  ["alice", "alice/new.txt", `mkdir alice; echo new > alice/new.txt`],
  ["bob", "bob.txt", `echo new > bob.txt`],
  ["alice", "shared.txt", `sed -i '2s/.*/by alice/' shared.txt`],
  ["bob", "shared.txt", `sed -i '9s/.*/by bob/' shared.txt`],
];

/**
 * @param {import("./slot.mjs").Slot} slot @param {import("./waymark.mjs").Subject} subject
 * @returns {Promise<{ before: Fingerprint, target: Fingerprint, args: string[] }>}
 */
export async function onlySessionProject(slot, subject) {
  const { place } = subject;
  await script(
    slot,
    place.project,
    `printf '%s\\n' ${LINES.map((line) => `'${line}'`).join(" ")} > shared.txt
    git add shared.txt; git commit -qm shared
    ${plain.atCheckpoint}`,
  );
  const without = await takeFingerprint(place);
  for (const [number, [agent, path, how]] of STEPS.entries()) {
    const payload = agentPayload(place, agent, `call-${number}`, path);
    const told = await waymark(subject, ["hook", "claude"], payload);
    if (told.stdout.length + told.stderr.length > 0) throw new Error(`the hook: ${said(told)}`);
    await script(slot, place.project, how);
  }
  const before = await takeFingerprint(place);
  return {
    before,
    target: { ...before, files: withoutAlice(before.files, without.files) },
    args: ["rollback", "--only-session", "alice", "--yes", "--json"],
  };
}

/** @param {Fingerprint["files"]} now @param {Fingerprint["files"]} earlier */
function withoutAlice(now, earlier) {
  const files = new Map(now);
  files.delete("alice/new.txt");
  const app = earlier.get("src/app.txt");
  const shared = earlier.get("shared.txt");
  if (!app || !shared) throw new Error("the project of two agents is not as it was meant");
  files.set("src/app.txt", app);
  const text = LINES.with(8, "by bob").join("\n");
  files.set("shared.txt", { ...shared, id: blobId(Buffer.from(`${text}\n`)) });
  return files;
}
