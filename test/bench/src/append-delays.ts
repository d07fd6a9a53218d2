import { pause } from '@inventory/runtime/wait';
import { type Followers, type Readers, startReaders } from './stream-world.ts';
import { openCompletions, openStored } from './webhook-world.ts';

/** From an event's append to its log until a client has it. Milliseconds. */
export interface AppendDelays {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const secondMs = 1_000;
const arrivalsMs = 60_000;
const pollMs = 100;

/**
 * Announces terminal refreshes of one Project to the event-stream at a rate, while `meanwhile` runs
 * and for some seconds at least; a client of its own receives their events.
 */
export async function appendDelays(
  { side, appended, stack }: Pick<Followers, 'side' | 'appended' | 'stack'>,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  meanwhile: Promise<unknown>,
): Promise<AppendDelays> {
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
    const ended = meanwhile.finally(() => {
      running.isOn = false;
    });
    const sending: Promise<void>[] = [];
    const startMs = performance.now();
    for (let sent = 0; running.isOn || sent < perSecond * seconds; sent += 1) {
      const dueMs = startMs + (sent * secondMs) / perSecond;
      await pause(Math.max(0, dueMs - performance.now()));
      sending.push(completions.announce([appended]));
    }
    await Promise.all([...sending, ended]);
    const arrivals = await arrivedAll(client, sending.length);
    const times = await stored.appendedAt(appended);
    const delays = [...times].flatMap(([id, appendedMs]) =>
      before.has(id) ? [] : [(arrivals[id] ?? Number.NaN) - appendedMs],
    );
    return delaysOf(delays);
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

function delaysOf(delays: readonly number[]): AppendDelays {
  const sorted = delays.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
