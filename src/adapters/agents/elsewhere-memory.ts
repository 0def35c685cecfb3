/** What hooks remember where a project cannot be opened or its own folder cannot be written: in the user's folder for such things. */
import { homedir } from "node:os";
import { join } from "node:path";
import { sha256 } from "../git/sha256.ts";
import { DiskAgentMemory } from "./disk-agent-memory.ts";

export function elsewhereMemory(root: string): DiskAgentMemory {
  return new DiskAgentMemory(elsewhereOf(root));
}

export function elsewhereOf(root: string): string {
  const state = process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state");
  return join(state, "waymark", "agents", sha256(root).slice(0, 16));
}
