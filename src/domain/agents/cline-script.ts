/** The scripts that Cline runs, one for each event. It has one name for them: a script that somebody has there already is kept beside and asked first. */
import type { CommandText } from "./hook-edits.ts";

/** Where the script that was there before is. Cline takes no file with such an ending for one of its own. */
export function keptName(event: string): string {
  return `${event}.before-waymark`;
}

export function clineScript(event: string, command: CommandText): string {
  return `#!/bin/sh
# Checkpoints before every change, made by Waymark. \`waymark hooks uninstall cline\` takes this file away.
# waymark-hooks sha256:
ours() {
  (${command("cline", event)})
}
kept="\${0%/*}/${keptName(event)}"
if [ ! -f "$kept" ]; then
  ours
  exit 0
fi
# A script that was here before: it gets the same input, and what it says and how it ends is what counts.
input=$(cat; echo .)
input=\${input%.}
if [ -x "$kept" ]; then
  set -- "$kept"
else
  first=$(head -n 1 "$kept")
  case $first in
    "#!"*) set -- \${first#??} "$kept" ;;
    *) set -- bash "$kept" ;;
  esac
fi
said=$(printf %s "$input" | "$@")
status=$?
more=$(printf %s "$input" | ours)
printf %s "\${said:-$more}"
exit $status
`;
}
