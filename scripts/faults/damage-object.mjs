// Damages an object while a command is held: `node damage-object.mjs PLACE HARM OID`, with the place as JSON.
import { harmObject } from "./damage.mjs";

const [, , place = "", harm = "", oid = ""] = process.argv;
await harmObject(
  JSON.parse(place),
  /** @type {import("./damage.mjs").Harm} */ (harm),
  oid,
  "loose",
);
