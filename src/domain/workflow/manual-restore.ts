/** How a person goes back to a checkpoint with git alone. docs/recovery.md explains the commands. */
import { gitPartOf, isPlain, type CheckpointDocument } from "../checkpoint.ts";
import { quoteForShell } from "../shell-quote.ts";

export interface ManualPlace {
  /** Git with the project's repository, in the project's folder. */
  readonly git: string;
  readonly root: string;
  /** What git calls the tree of all files. */
  readonly files: string;
  /** Steps that bring back what the checkpoint holds beside the work tree. */
  readonly parts: readonly string[];
}

/** Lines for a shell, with comments. Nothing of it removes or overwrites a file of the project. */
export function manualRestore(document: CheckpointDocument, place: ManualPlace): string[] {
  const { id, git } = document;
  const ref = `refs/waymark/cp/${id}`;
  const steps = [
    `cd ${quoteForShell(place.root)}`,
    "# all files of the checkpoint, byte for byte, in a separate folder",
    "out=$(mktemp -d)",
    `${place.git} -c core.quotePath=false ls-tree -r ${place.files} | while read -r mode type oid path; do`,
    '  mkdir -p "$out/$(dirname -- "$path")"',
    '  case "$mode" in',
    `    120000) ln -s "$(${place.git} cat-file blob "$oid")" "$out/$path" ;;`,
    `    100755) ${place.git} cat-file blob "$oid" > "$out/$path"; chmod +x "$out/$path" ;;`,
    `    100644) ${place.git} cat-file blob "$oid" > "$out/$path" ;;`,
    "  esac",
    "done",
    "# what differs from the project",
    `diff -rq --exclude=.git${isPlain(git) ? " --exclude=.checkpoints --exclude=.waymark" : ""} . "$out"`,
    'echo "$out"',
    "# copy what you need from that folder; see also docs/recovery.md",
  ];
  if (git.commit !== null) {
    const where = git.branch === null ? "no branch was checked out" : `on ${git.branch}`;
    steps.push(`# HEAD at the checkpoint: ${git.commit} (${where})`);
  }
  if ((gitPartOf(document)?.index_raw ?? null) !== null) {
    steps.push(
      "# the index (staged changes); to use it, replace .git/index with it",
      `${place.git} cat-file blob ${ref}:index.raw > "$out.index"`,
    );
  }
  if (place.parts.length > 0) {
    steps.push("# other parts; these commands write to the original locations", ...place.parts);
  }
  return steps;
}
