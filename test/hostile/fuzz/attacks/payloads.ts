/** What agents send to hooks, changed in every way: nothing is ever approved, and nothing is thrown. */
import type { AgentEvent } from "../../../../src/domain/agents/agent-event.ts";
import { isAgentName } from "../../../../src/domain/agents/agents.ts";
import { isOfNoConcern } from "../../../../src/domain/agents/hook-moment.ts";
import { parsePayload } from "../../../../src/domain/agents/payload-text.ts";
import { readPayload } from "../../../../src/domain/agents/read-payload.ts";
import { replyText } from "../../../../src/domain/agents/reply-text.ts";
import { act } from "../../../../src/interfaces/hooks/act.ts";
import type { Attack, Prepared } from "../attack.ts";
import { type Dice } from "../dice.ts";
import { type Recorded, recordedPayloads } from "../recorded-payloads.ts";
import { type FuzzScene } from "../scene.ts";

/** Words by which some agent would take a tool call for approved. */
const APPROVES = /"(?:permissionDecision|decision|permission|behavior)"\s*:\s*"(?:allow|approve)"/;

/** So many changed ones are read until one of them is something to act on. */
const READINGS = 6;

export const payloads: Attack = {
  id: "payloads",
  what: "recorded payloads of eight agents with strange, missing, doubled and damaged values, acted on in the project",
  weight: 2,
  async prepare(scene): Promise<Prepared> {
    const recorded = recordedPayloads();
    const ofConcern = recorded.filter(({ event }) => !isOfNoConcern(event));
    let acted = 0;
    let readOnly = 0;
    return {
      async attempt(dice) {
        let text = "";
        try {
          for (let reading = 0; reading < READINGS; reading++) {
            // The first may be anything; those after it are changed in one value, so that most are still what the agent means.
            const from = dice.one(reading === 0 ? recorded : ofConcern);
            text = reading === 0 ? dice.strangeText(from.payload) : oneChange(dice, from.payload);
            const event = readOne(dice, from, text);
            if (event === undefined || isOfNoConcern(event)) {
              readOnly += 1;
              continue;
            }
            acted += 1;
            return await actOn(scene, event);
          }
          return [];
        } catch (error) {
          return [`throws: ${(error as Error).stack?.slice(0, 500)} for ${text.slice(0, 300)}`];
        }
      },
      tried: () => acted,
      detail: () => `${readOnly} more were read, and were nothing to act on`,
    };
  },
};

/** One value at the top of it, or deep in it, is another. */
function oneChange(dice: Dice, payload: unknown): string {
  const whole = payload as Readonly<Record<string, unknown>>;
  const key = dice.one(Object.keys(whole));
  return JSON.stringify({ ...whole, [key]: dice.strange(whole[key] ?? null) });
}

function readOne(
  dice: Dice,
  { arguments: [agent, argument], env }: Recorded,
  text: string,
): AgentEvent | undefined {
  if (!isAgentName(agent)) throw new Error(`no agent: ${agent}`);
  return readPayload(agent, argument, parsePayload(text, dice.below(9) === 0), env);
}

/** A hook takes checkpoints: no file of the project changes, nothing beside it, and nothing is approved. */
async function actOn(scene: FuzzScene, event: AgentEvent): Promise<string[]> {
  const [around, files] = [scene.around(), scene.files()];
  const { reply } = await act(event, scene.repo.root);
  const { stdout } = replyText(event, reply);
  return [
    ...(APPROVES.test(stdout) ? [`approves: ${stdout.slice(0, 300)}`] : []),
    ...(scene.around() === around ? [] : ["something beside the project changed"]),
    ...(scene.files() === files ? [] : ["a file of the project changed"]),
  ];
}
