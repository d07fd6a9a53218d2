import { withStack } from '../bench-stack.ts';
import type { Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { cpuMs } from '../process-usage.ts';
import { delayRows, moreIsBetter, reported } from '../row.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const floodPerSecond = 5_000;
const floodConnections = 100;
const customersPerSecond = 50;

interface Counts {
  readonly sent: number;
  readonly refused401: number;
  readonly refused429: number;
}

/** Known customers beside 5,000 requests a second with keys that no Credential has. */
export const unknownKeys: Benchmark = {
  name: 'unknown-keys',
  run({ backends, quick }) {
    const durationMs = quick ? 4_000 : 15_000;
    return withStack(backends, { name: 'unknown-keys' }, async (stack) => {
      const customer = await openCustomer(stack);
      const gateway = stack.services.find(({ service }) => service === 'gateway');
      if (!gateway?.pid) throw new Error('The stack has no gateway.');
      const { pid } = gateway;
      const load = (ms: number): Promise<LoadResult> =>
        openLoop({
          perSecond: customersPerSecond,
          durationMs: ms,
          work: () => customer.ask('GET', '/v2/account'),
        });
      await load(durationMs / 4);
      const alone = await load(durationMs);
      const { port } = new URL(stack.gatewayUrl);
      const flood = await startYardstick('unknown-keys', [
        ...[port, String(floodPerSecond), String(floodConnections)],
      ]);
      const measured = async () => {
        await load(durationMs / 4);
        const [before, cpuBefore] = [await flood.ask<Counts>({}), cpuMs(pid)];
        const startMs = performance.now();
        const flooded = await load(durationMs);
        const seconds = (performance.now() - startMs) / 1_000;
        const [after, cpuAfter] = [await flood.ask<Counts>({}), cpuMs(pid)];
        return { before, after, flooded, seconds, usedMs: cpuAfter - cpuBefore };
      };
      const { before, after, flooded, seconds, usedMs } = await measured().finally(() =>
        flood.stop(),
      );
      await customer.close();
      const refused = after.refused429 - before.refused429;
      return [
        ...delayRows('known customers at 50/s beside 5,000 unknown keys a second, p99', {
          value: flooded,
          yardstick: alone,
          floor: 0.5,
        }),
        moreIsBetter({
          name: 'unknown keys refused',
          value: refused / seconds,
          unit: '/s',
          yardstick: floodPerSecond,
        }),
        reported('unknown keys looked up', (after.refused401 - before.refused401) / seconds, '/s'),
        reported('CPU of the gateway per unknown key', usedMs / Math.max(1, refused), 'ms'),
      ];
    });
  },
};
