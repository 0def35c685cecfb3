/** `waymark schema` */
import { Failure } from "../../../domain/failure.ts";
import { nearestNames } from "../../../domain/nearest-name.ts";
import type { Context } from "../command-spec.ts";
import { packagePath, readPackageFile } from "../package-files.ts";
import { schemaNames } from "../schema-names.ts";
import { tableLines } from "../table.ts";

export async function run({ args, output }: Context): Promise<void> {
  const [name] = args as [string | undefined];
  if (name !== undefined) {
    process.stdout.write(readPackageFile("schemas", `${nameOf(name)}.json`));
    return;
  }
  const schemas = schemaNames().map((known) => ({
    name: known,
    description: descriptionOf(known),
    file: packagePath("schemas", `${known}.json`),
  }));
  const columns = [
    { title: "NAME", cell: (schema: (typeof schemas)[number]) => schema.name },
    {
      title: "DESCRIBES",
      cell: (schema: (typeof schemas)[number]) => schema.description,
      cutTo: 20,
    },
  ];
  output.result(
    "schema_list",
    { schemas },
    tableLines(columns, schemas, output.columns, output.paint),
  );
}

function nameOf(text: string): string {
  const names = schemaNames();
  const plain = (name: string): string => name.replaceAll("-", "_");
  const found =
    names.find((name) => name === text) ?? names.find((name) => plain(name) === plain(text));
  if (found !== undefined) return found;
  const near = nearestNames(text, names);
  throw new Failure("usage", `unknown schema "${text}"`, {
    hint: `${near.length === 0 ? "" : `Did you mean ${near.join(" or ")}? `}\`waymark schema\` lists all of them.`,
    details: { candidates: near.length === 0 ? names : near },
  });
}

function descriptionOf(name: string): string {
  const { description } = JSON.parse(readPackageFile("schemas", `${name}.json`)) as {
    description?: unknown;
  };
  return typeof description === "string" ? description : "";
}
