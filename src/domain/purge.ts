/** What a purge removes, and what it leaves to the user: Waymark prints commands for the user's own repository and never runs them. */
import { showPath, type BytePath } from "./byte-path.ts";
import { quoteForShell } from "./shell-quote.ts";

/** An object by its id, or every version of a file or folder. */
export type PurgeTarget =
  | { readonly kind: "commit" | "blob" | "tree"; readonly oid: string }
  | { readonly kind: "path"; readonly path: BytePath };

/** What of the user's own repository leads to it. Waymark changes none of this. */
export interface ProjectHolders {
  /** Whether the repository contains one of the objects at all. */
  readonly hasObjects: boolean;
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  readonly remoteBranches: readonly string[];
  readonly otherRefs: readonly string[];
  readonly isStaged: boolean;
  readonly hasStash: boolean;
}

export interface PurgeStep {
  readonly command: string;
  readonly why: string;
}

/** As people name it. */
export function targetText(target: PurgeTarget): string {
  return target.kind === "path" ? showPath(target.path) : `${target.kind} ${target.oid}`;
}

export function purgeSteps(
  target: PurgeTarget,
  project: ProjectHolders,
  exports: readonly string[],
): PurgeStep[] {
  const files = exports.map((file) => ({
    command: `rm ${quoteForShell(file)}`,
    why: "this export contains it",
  }));
  if (!project.hasObjects) return files;
  return [
    ...files,
    ...stagedSteps(target, project),
    ...historySteps(target, project),
    ...(project.hasStash ? [STASH] : []),
    {
      command: "git reflog expire --expire=now --all && git gc --prune=now",
      why: "git keeps unreachable objects until then",
    },
    ...publishedSteps(project),
  ];
}

const STASH: PurgeStep = {
  command: "git stash list",
  why: "the next command drops all entries but the latest: apply those that you need first",
};

function stagedSteps(target: PurgeTarget, project: ProjectHolders): PurgeStep[] {
  const { isStaged, branches, otherRefs } = project;
  // A rewrite of the history and a switch to another commit reset the index.
  if (!isStaged || branches.length > 0 || otherRefs.includes("HEAD")) return [];
  return [
    target.kind === "path"
      ? {
          command: `git rm -r --cached -- ${quoteForShell(showPath(target.path))}`,
          why: "the index contains it; the file on disk stays",
        }
      : {
          command: `git ls-files --stage | grep ${target.oid}`,
          why: "the index contains it under this name: remove or change that file",
        },
  ];
}

function historySteps(target: PurgeTarget, project: ProjectHolders): PurgeStep[] {
  const { branches, tags, otherRefs } = project;
  const others = otherRefs.map(otherStep);
  if (branches.length + tags.length === 0) return others;
  const refs = [...branches, ...tags].join(", ");
  if (target.kind === "commit") {
    return [
      ...branches.map((branch) => ({
        command: `git rebase --onto ${target.oid}^ ${target.oid} ${quoteForShell(branch)}`,
        why: "removes the commit from this branch",
      })),
      ...tags.map((tag) => ({
        command: `git tag -d ${quoteForShell(tag)}`,
        why: "this tag contains the commit",
      })),
      ...others,
    ];
  }
  const how =
    target.kind === "path"
      ? `git filter-repo --force --invert-paths --path ${quoteForShell(showPath(target.path))}`
      : `echo ${target.oid} > ids && git filter-repo --force --strip-blobs-with-ids ids`;
  return [{ command: how, why: `rewrites the history of ${refs}` }, ...others];
}

function otherStep(ref: string): PurgeStep {
  if (ref === "HEAD") return { command: "git switch -", why: "the detached HEAD leads to it" };
  if (ref === "refs/stash") {
    return { command: "git stash drop", why: "the latest stash entry contains it" };
  }
  return { command: `git update-ref -d ${quoteForShell(ref)}`, why: "this ref leads to it" };
}

function publishedSteps({ remoteBranches, tags }: ProjectHolders): PurgeStep[] {
  const published = remoteBranches.flatMap((name) => {
    const slash = name.indexOf("/");
    const branch = name.slice(slash + 1);
    return branch === "HEAD" ? [] : [{ remote: name.slice(0, slash), branch }];
  });
  const remotes = [...new Set(published.map(({ remote }) => remote))];
  return [
    ...published.map(({ remote, branch }) => ({
      command: `git push --force ${quoteForShell(remote)} ${quoteForShell(branch)}`,
      why: "it was published: clones and forks may have it, so replace a secret that was in it",
    })),
    ...remotes.flatMap((remote) =>
      tags.map((tag) => ({
        command: `git push ${quoteForShell(remote)} --delete ${quoteForShell(`refs/tags/${tag}`)}`,
        why: "if this tag was pushed",
      })),
    ),
  ];
}
