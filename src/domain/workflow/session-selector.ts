/** How people name a session: by its id, or by a part of it that only one has where that can do no harm. */
import { Failure } from "../failure.ts";
import { nearestNames } from "../nearest-name.ts";

const MOST_LISTED = 8;

/** `ids`: latest first. `isWhole`: only a whole id is accepted, and a part of one names the candidates. */
export function selectSession(text: string, ids: readonly string[], isWhole = false): string {
  if (ids.includes(text)) return text;
  const partly = text === "" ? [] : ids.filter((id) => id.includes(text));
  const [only] = partly;
  if (only === undefined) throw noSuchSession(text, ids);
  if (isWhole) {
    throw new Failure("session_not_found", `"${text}" is only a part of a session's id`, {
      hint: `This command needs the full id: ${listed(partly)}. Nothing was changed.`,
      details: { candidates: partly },
    });
  }
  if (partly.length === 1) return only;
  throw new Failure(
    "ambiguous_selector",
    `"${text}" is ambiguous: it matches ${partly.length} sessions`,
    {
      hint: `Use a longer part of the id: ${listed(partly)}`,
      details: { candidates: partly },
    },
  );
}

export function noSuchSession(text: string, ids: readonly string[]): Failure {
  const near = nearestNames(text, ids);
  const shown = (near.length > 0 ? near : ids).slice(0, MOST_LISTED);
  const list = `The ${near.length > 0 ? "nearest" : "latest"} are: ${shown.join(", ")}. `;
  return new Failure("session_not_found", `there is no session ${text}`, {
    hint: `${shown.length === 0 ? "" : list}\`waymark session list --all\` lists all sessions.`,
    details: { candidates: shown },
  });
}

function listed(ids: readonly string[]): string {
  return `${ids.slice(0, MOST_LISTED).join(", ")}${ids.length > MOST_LISTED ? ", …" : ""}`;
}
