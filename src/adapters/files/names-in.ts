/** The names in a folder; none when it is not there. */
import { readdirSync } from "node:fs";
import { isMissing } from "./errors.ts";

export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
