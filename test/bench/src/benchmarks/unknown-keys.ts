import { Agent, request } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { openLoop, requestsOf } from '../load.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';
import { moreIsBetter, reported } from '../row.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const unknownPerSecond = 5_000;
const floodConnections = 100;
const validPerSecond = 500;
const readsPerSecond = 5;

/**
 * A neighbour's requests beside 5,000 a second with keys that no Credential has and 500 with valid
 * keys that the gateway has not seen since it started, all from one address.
 */
export const unknownKeys: Benchmark = {
  name: 'unknown-keys',
  run: ({ withCustomer, quick, periodMs, say }) =>
    withCustomer({}, (stack, other) =>
      withNeighbour(stack, async (neighbour) => {
        // Each is issued before: that takes far longer than its use.
        const valid = { perSecond: validPerSecond, periodMs: quick ? periodMs / 2 : periodMs };
        const keys = await other.issueKeys(requestsOf(valid));
        say(`${keys.length} keys are issued`);
        const gateway = stack.services.find(({ service }) => service === 'gateway');
        // As after a deploy: it has used none of the keys.
        await gateway?.restart();
        const reads = { perSecond: readsPerSecond, periodMs };
        const alone = await neighbour.load(reads);
        const { port } = new URL(stack.gatewayUrl);
        const flood = await startYardstick('unknown-keys', [
          ...[port, String(unknownPerSecond), String(floodConnections)],
        ]);
        try {
          say('the keys are used');
          const startMs = performance.now();
          const [beside, served] = await Promise.all([
            neighbour.load(reads),
            useInTurn(stack.gatewayUrl, keys, valid),
          ]);
          const seconds = (performance.now() - startMs) / 1_000;
          const sent = await flood.ask<number>({});
          return [
            ...neighbourRows('5,000 unknown and 500 new keys a second', beside, alone),
            moreIsBetter({
              ...{ name: 'new valid keys served beside them', value: served, unit: 'keys' },
              ...{ yardstick: keys.length, floor: 1 },
            }),
            reported('unknown keys sent', sent / seconds, '/s'),
          ];
        } finally {
          await flood.stop();
        }
      }),
    ),
};

/** Sends one request with each key; how many were served. */
async function useInTurn(
  url: string,
  keys: readonly string[],
  load: { readonly perSecond: number; readonly periodMs: number },
): Promise<number> {
  const agent = new Agent({ connections: 128, pipelining: 1 });
  const left = [...keys];
  let served = 0;
  await openLoop({
    ...load,
    async work() {
      const headers = { 'x-api-key': left.pop() ?? '' };
      const answer = await request(new URL('/v2/prices', url), { dispatcher: agent, headers });
      await answer.body.dump();
      if (answer.statusCode === 200) served += 1;
    },
  });
  await agent.close();
  return served;
}
