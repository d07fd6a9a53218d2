import { Agent, request } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { openLoop, requestsOf } from '../load.ts';
import { neighbourRows, withNeighbour } from '../neighbour.ts';
import { moreIsBetter } from '../row.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const unknownPerSecond = 5_000;
const floodConnections = 100;
const validPerSecond = 500;
const readsPerSecond = 5;
/** Few enough that the gateway keeps all of them. */
const seenKeysMax = 1_000;

/**
 * A neighbour's requests beside 5,000 a second with keys that no Credential has and 500 with valid
 * keys that the gateway has not seen since it started, all from one address. Beside them the same
 * 500 with keys that it has seen: what the neighbour waits for beyond that, it waits for look-ups.
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
        // Its code is compiled, and its key is seen.
        await neighbour.load(reads);
        say('the keys are used');
        const besideKeys = (used: readonly string[]) =>
          Promise.all([neighbour.load(reads), useRoundRobin(stack.gatewayUrl, used, valid)]);
        const flooded = await besideFlood(stack.gatewayUrl, () => besideKeys(keys));
        say('the last of them are used again');
        const [besideSeen] = await besideKeys(keys.slice(-seenKeysMax));
        const [besideUnseen, served] = flooded.result;
        const disturbance = '5,000 unknown and 500 new keys a second';
        return [
          ...neighbourRows(disturbance, besideUnseen, besideSeen),
          moreIsBetter({
            ...{ name: 'new valid keys served beside them', value: served, unit: 'keys' },
            ...{ yardstick: keys.length, floor: 1 },
          }),
          moreIsBetter({
            ...{ name: 'unknown keys sent', value: flooded.sentPerSecond, unit: '/s' },
            ...{ yardstick: unknownPerSecond, floor: 0.9 },
          }),
        ];
      }),
    ),
};

/** Runs `work` while unknown keys are sent; how many a second were. */
async function besideFlood<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly sentPerSecond: number }> {
  const settings = [new URL(url).port, String(unknownPerSecond), String(floodConnections)];
  const flood = await startYardstick('unknown-keys', settings);
  try {
    const before = await flood.ask<number>({});
    const startMs = performance.now();
    const result = await work();
    const sent = (await flood.ask<number>({})) - before;
    return { result, sentPerSecond: (sent / (performance.now() - startMs)) * 1_000 };
  } finally {
    await flood.stop();
  }
}

/** Sends requests with the keys, one after the other and again from the first; how many were served. */
async function useRoundRobin(
  url: string,
  keys: readonly string[],
  load: { readonly perSecond: number; readonly periodMs: number },
): Promise<number> {
  const agent = new Agent({ connections: 128, pipelining: 1 });
  let used = 0;
  let served = 0;
  await openLoop({
    ...load,
    async work() {
      const headers = { 'x-api-key': keys[used++ % keys.length] ?? '' };
      const response = await request(new URL('/v2/prices', url), { dispatcher: agent, headers });
      await response.body.dump();
      if (response.statusCode === 200) served += 1;
    },
  });
  await agent.close();
  return served;
}
