/** The names that `waymark schema` takes. */
import { packageFileNames } from "./package-files.ts";

export function schemaNames(): string[] {
  return packageFileNames("schemas")
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .toSorted();
}
