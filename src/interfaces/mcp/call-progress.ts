/** Tells a client that wants to know how far a call has come. */
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../ports/progress.ts";

/** More often is of no use to anybody. */
const EVERY_MS = 500;

/** Undefined: the client does not want to know. */
export function callProgress({
  _meta,
  notify,
}: Pick<ServerContext["mcpReq"], "_meta" | "notify">): Progress | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = 0;
  /** Of the whole call: it may only grow. */
  let progress = 0;
  return {
    begin: (label, total) => {
      let done = 0;
      return {
        advance: (items) => {
          done += items;
          progress += items;
          if (Date.now() - last < EVERY_MS) return;
          last = Date.now();
          const of = total?.items === undefined ? "" : ` of ${total.items}`;
          const message = `${label}: ${done}${of}`;
          const params = { progressToken, progress, message };
          // A client that went away is told by the transport.
          notify({ method: "notifications/progress", params }).catch(() => undefined);
        },
        end: () => undefined,
      };
    },
  };
}
