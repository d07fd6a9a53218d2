import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { Agent, request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { type Customer, inventoryPath, openCustomer } from '../customer.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { cpuMs } from '../process-usage.ts';
import { delayRows, moreIsBetter, type Row, reported } from '../row.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const unknownPerSecond = 5_000;
const floodConnections = 100;
const validPerSecond = 500;
const eachPerSecond = 5;
const operations = ['Status', 'list', 'account', 'Current'] as const;
type Loads = Readonly<Record<(typeof operations)[number], LoadResult>>;

interface Counts {
  readonly sent: number;
  readonly refused401: number;
  readonly refused429: number;
}

interface Measured extends Counts {
  readonly alone: Loads;
  readonly used: Loads;
  readonly flooded: Loads;
  readonly served: number;
  readonly seconds: number;
  readonly gatewayMs: number;
}

/**
 * A neighbour's requests beside 5,000 a second with keys that no Credential has and 500 with valid keys
 * that the gateway has not seen since it started, all from one address. Beside 500 with one key that it
 * has seen, to tell what the keys cost from what so many requests do.
 */
export const unknownKeys: Benchmark = {
  name: 'unknown-keys',
  run({ backends, quick }) {
    const durationMs = quick ? 8_000 : 20_000;
    return withStack(backends, { name: 'unknown-keys' }, async (stack) => {
      const [neighbour, other] = [await openCustomer(stack), await openCustomer(stack)];
      const load = await loadOf(neighbour);
      const keys = await other.issueKeys((validPerSecond * durationMs) / 1_000);
      const gateway = stack.services.find(({ service }) => service === 'gateway');
      // As after a deploy: it has used none of the keys.
      await gateway?.restart();
      if (!gateway?.pid) throw new Error('The stack has no gateway.');
      await load(durationMs / 4);
      const alone = await load(durationMs);
      const beside = (usedKeys: readonly string[]) =>
        Promise.all([load(durationMs), useInTurn(stack.gatewayUrl, usedKeys)]);
      const [used] = await beside(keys.map(() => other.apiKey));
      const flood = await startYardstick('unknown-keys', [
        ...[new URL(stack.gatewayUrl).port, String(unknownPerSecond), String(floodConnections)],
      ]);
      try {
        await load(durationMs / 4);
        const counts = () => flood.ask<Counts>({});
        const [before, cpuBefore] = [await counts(), cpuMs(gateway.pid)];
        const startMs = performance.now();
        const [flooded, served] = await beside(keys);
        const seconds = (performance.now() - startMs) / 1_000;
        const gatewayMs = cpuMs(gateway.pid) - cpuBefore;
        const since = difference(before, await counts());
        return rowsOf({ ...since, alone, used, flooded, served, seconds, gatewayMs }, keys.length);
      } finally {
        await flood.stop();
        await Promise.all([neighbour.close(), other.close()]);
      }
    });
  },
};

/** Each operation of the customer at the same rate. */
async function loadOf(customer: Customer): Promise<(durationMs: number) => Promise<Loads>> {
  const inventory = sizeInventory(100);
  const refreshId = await customer.refresh(inventory);
  await customer.completed(refreshId);
  const paths = {
    Status: `/v2/platform/inventory-refreshes/${refreshId}`,
    list: `/v2/projects/${customer.projectId}/inventory-refreshes`,
    account: '/v2/account',
    Current: `${inventoryPath(inventory)}/current`,
  };
  return async (durationMs) => {
    const loads = await Promise.all(
      operations.map(async (operation) => {
        const work = () => customer.ask('GET', paths[operation]);
        return [operation, await openLoop({ perSecond: eachPerSecond, durationMs, work })] as const;
      }),
    );
    return Object.fromEntries(loads) as unknown as Loads;
  };
}

/** Sends one request with each key; how many were served. */
async function useInTurn(url: string, keys: readonly string[]): Promise<number> {
  const agent = new Agent({ connections: 128, pipelining: 1 });
  const left = [...keys];
  let served = 0;
  await openLoop({
    perSecond: validPerSecond,
    durationMs: (keys.length / validPerSecond) * 1_000,
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

function difference(before: Counts, after: Counts): Counts {
  return {
    sent: after.sent - before.sent,
    refused401: after.refused401 - before.refused401,
    refused429: after.refused429 - before.refused429,
  };
}

function rowsOf(measured: Measured, keys: number): Row[] {
  const { served, seconds, sent, refused401, refused429, gatewayMs } = measured;
  return [
    ...operations.flatMap((operation) => [
      ...delayRows(`${operation} beside 5,000 unknown and 500 new keys a second, p99`, {
        value: measured.flooded[operation],
        yardstick: measured.alone[operation],
        floor: 0.5,
      }),
      reported('the same beside 500 uses of one key, p99', measured.used[operation].p99Ms, 'ms'),
    ]),
    moreIsBetter({
      name: 'new valid keys served beside them',
      value: served,
      unit: 'keys',
      yardstick: keys,
      floor: 1,
    }),
    reported('unknown keys sent', sent / seconds, '/s'),
    reported('unknown keys refused', refused429 / seconds, '/s'),
    reported('unknown keys looked up', refused401 / seconds, '/s'),
    reported('CPU of the gateway', (100 * gatewayMs) / 1_000 / seconds, '%'),
  ];
}
