import type { CommandSpec } from "../command-spec.ts";

export const schemaSpec: CommandSpec = {
  name: "schema",
  group: "Integrations",
  summary: "print the JSON Schema of a document, or list all of them",
  description:
    "There is one schema for each kind of document that `--json` prints, named by its `kind`, and one for each document that " +
    "is stored (`checkpoint-document`, `session-document`). They are JSON Schema draft 2020-12. Fields may be added later, so " +
    "unknown ones are allowed. `waymark-yml` and `workflow` are for editors: they describe the files that you write, and list every key.",
  arguments: [{ name: "[name]", text: "the kind of document", completes: "schema" }],
  examples: [
    { command: "waymark schema", text: "list them" },
    { command: "waymark schema rollback > rollback.schema.json", text: "one of them" },
  ],
  kinds: ["schema_list"],
  load: () => import("./schema.ts"),
};
