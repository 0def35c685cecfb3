import { describe } from "vitest";
import { sessionStoreSuite } from "../../ports/session-store.suite.ts";
import { MemorySessionStore, type MemorySessions } from "./memory-session-store.ts";

describe("MemorySessionStore", () => {
  sessionStoreSuite(() => {
    const all: MemorySessions = new Map();
    return Promise.resolve({
      store: new MemorySessionStore(all),
      reopen: () => new MemorySessionStore(all),
      journalLength: (id) => all.get(id)?.length ?? 0,
    });
  });
});
