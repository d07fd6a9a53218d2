import { pause } from '@inventory/runtime/wait';
import { percentiles } from './load.ts';
import type { Delays } from './row.ts';
import { type Followers, type Readers, startReaders } from './stream-world.ts';
import { openCompletions, openStored } from './webhook-world.ts';

const secondMs = 1_000;
const arrivalsMs = 60_000;
const pollMs = 100;

/**
 * How long events take from their append to the log until a client has them. Announces terminal
 * refreshes of one Project to the event-stream at a rate, while `meanwhile` runs
 * and for some seconds at least; a client of its own receives their events.
 */
export async function appendDelays(
  { side, appended, stack }: Pick<Followers, 'side' | 'appended' | 'stack'>,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<Delays> {
  const [client, completions, stored] = await Promise.all([
    startReaders(),
    openCompletions(stack),
    openStored(stack),
  ]);
  try {
    await client.open(side.port, [appended]);
    await client.mark();
    const before = await stored.appendedAt(appended);
    const running = { isOn: true };
    const ended = meanwhile().finally(() => {
      running.isOn = false;
    });
    const sending: Promise<void>[] = [];
    const announceAll = async () => {
      const startMs = performance.now();
      for (let sent = 0; running.isOn || sent < perSecond * seconds; sent += 1) {
        const dueMs = startMs + (sent * secondMs) / perSecond;
        await pause(Math.max(0, dueMs - performance.now()));
        sending.push(completions.announce([appended]));
      }
      await Promise.all(sending);
    };
    await Promise.all([announceAll(), ended]);
    const arrivals = await arrivedAll(client, sending.length);
    const times = await stored.appendedAt(appended);
    const delays = [...times].flatMap(([id, appendedMs]) =>
      before.has(id) ? [] : [(arrivals[id] ?? Number.NaN) - appendedMs],
    );
    return percentiles(delays);
  } finally {
    await Promise.all([client.stop(), completions.close(), stored.close()]);
  }
}

async function arrivedAll(client: Readers, count: number) {
  for (const startMs = performance.now(); ; await pause(pollMs)) {
    const { arrivals } = await client.report();
    if (Object.keys(arrivals).length >= count) return arrivals;
    if (performance.now() - startMs > arrivalsMs) throw new Error('an event did not arrive');
  }
}
