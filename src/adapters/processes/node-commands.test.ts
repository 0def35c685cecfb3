import { describe } from "vitest";
import { commandsSuite } from "../../ports/commands.suite.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { NodeCommands } from "./node-commands.ts";

describe.skipIf(process.platform !== "linux")("commands on this machine (needs /proc)", () => {
  commandsSuite(() => ({ commands: new NodeCommands(1000), folder: tempFolder() }));
});
