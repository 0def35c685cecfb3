/** The scripts that Cline runs, one for each event. It has one name for them: a script that somebody has there already is kept beside and asked first. */
import type { CommandText } from "./hook-edits.ts";

/** The variable in which Waymark finds what that script said. */
export const SAID_BEFORE = "WAYMARK_HOOK_SAID_BEFORE";

/** Where the script that was there before is. Cline takes no file with such an ending for one of its own. */
export function keptName(event: string): string {
  return `${event}.before-waymark`;
}

export function clineScript(event: string, command: CommandText): string {
  return `#!/bin/sh
# Checkpoints before every change, made by Waymark. \`waymark hooks uninstall cline\` removes this file.
# waymark-hooks sha256:
ours() {
  (${command("cline", event)})
}
kept="\${0%/*}/${keptName(event)}"
if [ ! -f "$kept" ]; then
  ours
  exit 0
fi
# A script that was here before: it gets the same input and is asked first, and how it ends is what counts.
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
# Cline hears one answer: ours is joined with what it said, unless that is too long for a variable.
${SAID_BEFORE}=$said
[ \${#said} -le 30000 ] || ${SAID_BEFORE}=long
export ${SAID_BEFORE}
more=$(printf %s "$input" | ours)
case $more in
  *'"cancel":true'*) status=0 ;;
esac
printf %s "\${more:-$said}"
exit $status
`;
}
