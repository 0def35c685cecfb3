/** A line of shell in the project that waits until the journal of a session says this, for a node that must not end before something else has. */
export const untilRecorded = (words: string): string =>
  `until git --git-dir="$(git rev-parse --git-common-dir)/waymark/store" log --format=%s --glob=refs/waymark/session | grep -q '${words}'; do sleep 0.05; done`;
