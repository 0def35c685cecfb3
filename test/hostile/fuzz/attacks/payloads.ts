/** What agents send to hooks, changed in every way: nothing is ever approved, and nothing is thrown. */
import { isAgentName } from "../../../../src/domain/agents/agents.ts";
import { isOfNoConcern } from "../../../../src/domain/agents/hook-moment.ts";
import { parsePayload } from "../../../../src/domain/agents/payload-text.ts";
import { readPayload } from "../../../../src/domain/agents/read-payload.ts";
import { replyText } from "../../../../src/domain/agents/reply-text.ts";
import { act } from "../../../../src/interfaces/hooks/act.ts";
import type { Attack, Prepared } from "../attack.ts";
import { recordedPayloads } from "../recorded-payloads.ts";

/** Words by which some agent would take a tool call for approved. */
const APPROVES = /"(?:permissionDecision|decision|permission|behavior)"\s*:\s*"(?:allow|approve)"/;

export const payloads: Attack = {
  id: "payloads",
  what: "recorded payloads of eight agents with strange, missing, doubled and damaged values",
  weight: 1,
  async prepare(scene): Promise<Prepared> {
    const recorded = recordedPayloads();
    let acted = 0;
    return {
      async attempt(dice, number) {
        const { arguments: words, env, payload } = dice.one(recorded);
        const [agent, argument] = words;
        if (!isAgentName(agent)) throw new Error(`no agent: ${agent}`);
        const around = scene.around();
        const text = dice.strangeText(payload);
        try {
          const event = readPayload(agent, argument, parsePayload(text, dice.below(9) === 0), env);
          // Reading is quick; going on to the project is tried for some.
          if (event === undefined || isOfNoConcern(event) || number % 8 !== 0) return [];
          acted += 1;
          const { reply } = await act(event, scene.repo.root);
          const { stdout } = replyText(event, reply);
          const wrong = APPROVES.test(stdout) ? [`approves: ${stdout.slice(0, 300)}`] : [];
          if (scene.around() !== around) wrong.push("something beside the project changed");
          return wrong;
        } catch (error) {
          return [`throws: ${(error as Error).stack?.slice(0, 500)} for ${text.slice(0, 300)}`];
        }
      },
      detail: () => `${acted} of them went on to the project`,
    };
  },
};
