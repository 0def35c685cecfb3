/** Tables of documents that are made from the code. `npm run docs` puts them between their marks. */

/** The document with its tables as they are now; a mark is `<!-- name -->` … `<!-- /name -->`. */
export function fillMarks(document: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [before, rest] = text.split(`<!-- ${name} -->\n`);
    const after = rest?.split(`<!-- /${name} -->\n`)[1];
    if (before === undefined || after === undefined) throw new Error(`there is no mark ${name}`);
    return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->\n${after}`;
  }, document);
}

/** A text as a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}
