import { describe } from "vitest";
import { checkpointStoreSuite } from "../../ports/checkpoint-store.suite.ts";
import { MemoryCapture } from "./memory-capture.ts";
import { MemoryCheckpointStore, type MemoryCheckpoints } from "./memory-checkpoint-store.ts";

describe("MemoryCheckpointStore", () => {
  checkpointStoreSuite(() => {
    const all: MemoryCheckpoints = new Map();
    const trash: MemoryCheckpoints = new Map();
    const messageOf = (id: string): string => all.get(id)?.message ?? "";
    return Promise.resolve({
      store: new MemoryCheckpointStore(all, trash),
      newCapture: (text) => Promise.resolve(new MemoryCapture(text)),
      reopen: () => new MemoryCheckpointStore(all, trash),
      breakCheckpoint: (id) => void all.set(id, { message: "garbage", content: "" }),
      breakContent: (id) => void all.set(id, { message: messageOf(id), content: "other" }),
    });
  });
});
