/** The command that takes back what was done, as every command prints it. */
import { canAsk } from "./prompt.ts";

/** Of the command that documents have; a person sees the preview first, and a script cannot be asked. */
export function wayBack(restoreCommand: string): string {
  const command = canAsk()
    ? restoreCommand.replace(" --yes --discard-commits", "")
    : restoreCommand;
  return `roll back with: ${command}`;
}
