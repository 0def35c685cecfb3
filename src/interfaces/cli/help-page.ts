/** `waymark help recovery` prints docs/recovery.md, which is shipped with the package: hints name pages that everybody has. */
import { packageFileNames, readPackageFile } from "./package-files.ts";
import type { Output } from "./output.ts";
import { openPager } from "./pager.ts";
import { columnsOf } from "./style.ts";
import { wrappedPage } from "./wrap.ts";

const ENDING = ".md";

export function helpPages(): string[] {
  return packageFileNames("docs")
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length))
    .toSorted();
}

export async function printHelpPage(page: string, output: Output): Promise<void> {
  const pager = await openPager(output, () => Promise.resolve(undefined));
  const text = readPackageFile("docs", `${page}${ENDING}`);
  const { stdout } = process;
  await pager.write(Buffer.from(stdout.isTTY ? wrappedPage(text, columnsOf(stdout)) : text));
  await pager.end();
}
