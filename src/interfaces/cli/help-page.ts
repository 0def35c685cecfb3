/** `waymark help recovery` prints docs/recovery.md, which is shipped with the package: hints name pages that everybody has. */
import { packageFileNames, readPackageFile } from "./package-files.ts";
import { openPager } from "./pager.ts";

const ENDING = ".md";

export function helpPages(): string[] {
  return packageFileNames("docs")
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .toSorted();
}

export async function printHelpPage(page: string): Promise<void> {
  const pager = await openPager(() => Promise.resolve(undefined));
  await pager.write(Buffer.from(readPackageFile("docs", `${page}${ENDING}`)));
  await pager.end();
}
