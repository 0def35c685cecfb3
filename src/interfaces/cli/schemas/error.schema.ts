import * as z from "zod";
import { EXIT_CODES } from "../exit-codes.ts";
import { printedDocument } from "./published-schema.ts";

const codes = Object.keys(EXIT_CODES).toSorted();

export const published = printedDocument(
  "error",
  "What every command prints with --json when it fails; the exit code is not 0 then.",
  {
    error: z.looseObject({
      code: z
        .enum([...codes, "internal"])
        .describe("docs/troubleshooting.md has a section for each; internal: a bug in Waymark."),
      message: z.string().describe("What failed."),
      hint: z.string().describe("What to do next."),
      details: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("Facts about it: candidates, paths, owners of locks."),
    }),
  },
);
