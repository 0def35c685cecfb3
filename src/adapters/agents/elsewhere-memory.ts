/** What hooks remember where a project cannot be opened or its own folder cannot be written: in the user's folder for such things. */
import { join } from "node:path";
import { whereItLeads } from "../files/real-path.ts";
import { NO_FOLDER, userFolder } from "../files/user-folders.ts";
import { sha256 } from "../git/sha256.ts";
import { DiskAgentMemory } from "./disk-agent-memory.ts";

export function elsewhereMemory(root: string): DiskAgentMemory {
  return new DiskAgentMemory(elsewhereOf(root));
}

export function elsewhereOf(root: string): string {
  const state = userFolder("XDG_STATE_HOME") ?? NO_FOLDER;
  // In the project it would be one of its files.
  const isInside = `${whereItLeads(state)}/`.startsWith(`${root}/`);
  return join(isInside ? NO_FOLDER : state, "waymark", "agents", sha256(root).slice(0, 16));
}
