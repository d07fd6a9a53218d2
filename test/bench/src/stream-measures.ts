import { pause } from '@inventory/runtime/wait';
import { residentMb } from './process-usage.ts';
import type { Readers } from './stream-world.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** How many streams, Projects and seconds are measured. */
export interface Sizes {
  readonly held: number;
  readonly projects: number;
  readonly oneProject: number;
  readonly stalled: number;
  readonly seconds: number;
}

/** Events a second that are offered to one Project, one rate after the other. */
const offeredRates = [50, 100, 200, 400] as const;
/** Events a second over all Projects. */
const spreadRates = [2_000, 5_000, 10_000] as const;
/** Events a second at which delay is measured. */
export const steadyRate = 20;

const intervalMs = 10;
const settleMs = 500;
/** A full collection with all streams open takes a tenth of it. */
const collectMs = 2_000;

/** A server of streams, ours or a yardstick. */
export interface Side {
  /** Events for some targets, as many as are named. */
  announce(targets: readonly StreamTarget[]): Promise<void> | void;
  readonly port: number;
  readonly pid: number;
  /** It collects its garbage on SIGUSR2. */
  readonly collectsGarbage: boolean;
}

export interface Measured {
  readonly heldKb: number;
  readonly fanOut: number;
  readonly spread: number;
  readonly steady: ReaderReport;
}

const spreadOver = (projects: readonly StreamTarget[], count: number): StreamTarget[] =>
  Array.from(
    { length: count },
    (_none, index) => projects[index % projects.length] as StreamTarget,
  );

/** Memory, deliveries and delay of one side, its streams all closed again. */
export async function measure(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<Measured> {
  const beforeMb = await usedMb(side);
  await readers.open(side.port, spreadOver(projects, size.held));
  await pause(settleMs);
  const heldKb = (((await usedMb(side)) - beforeMb) * 1_024) / size.held;
  const spread = await best(spreadRates, (rate) =>
    offer(side, readers, { targets: projects, rate, seconds: size.seconds }),
  );
  await readers.cut();
  await readers.open(side.port, spreadOver(projects.slice(0, 1), size.oneProject));
  const one = projects.slice(0, 1);
  const steady = await offer(side, readers, {
    targets: one,
    rate: steadyRate,
    seconds: size.seconds,
  });
  const fanOut = await best(offeredRates, (rate) =>
    offer(side, readers, { targets: one, rate, seconds: size.seconds }),
  );
  await readers.cut();
  return { heldKb, fanOut, spread, steady: steady.report };
}

/** Memory that a side has resident, without garbage where it can collect it. */
async function usedMb({ pid, collectsGarbage }: Side): Promise<number> {
  if (collectsGarbage) {
    process.kill(pid, 'SIGUSR2');
    await pause(collectMs);
  }
  return residentMb(pid);
}

/** The most that was delivered at any rate; a rate that is not kept ends the search. */
async function best(
  rates: readonly number[],
  offerAt: (rate: number) => Promise<{ perSecond: number; isKept: boolean }>,
): Promise<number> {
  let most = 0;
  for (const rate of rates) {
    const { perSecond, isKept } = await offerAt(rate);
    most = Math.max(most, perSecond);
    if (!isKept) break;
  }
  return most;
}

/** Announces at a rate and counts what arrives until nothing follows any more. */
async function offer(
  side: Side,
  readers: Readers,
  { targets, rate, seconds }: { targets: readonly StreamTarget[]; rate: number; seconds: number },
) {
  await readers.mark();
  const startMs = performance.now();
  const sending: (Promise<void> | void)[] = [];
  let sent = 0;
  while (performance.now() - startMs < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startMs) / 1_000) * rate);
    const some = Array.from(
      { length: due - sent },
      (_none, index) => targets[(sent + index) % targets.length] as StreamTarget,
    );
    if (some.length > 0) sending.push(side.announce(some));
    sent = due;
    await pause(intervalMs);
  }
  await Promise.all(sending);
  const report = await untilQuiet(readers);
  const tookMs = report.lastMs - startMs;
  const perSecond = (report.deliveries / tookMs) * 1_000;
  return { perSecond, report, isKept: tookMs < seconds * 1_250 };
}

async function untilQuiet(readers: Readers): Promise<ReaderReport & { lastMs: number }> {
  let last = await readers.report();
  let lastMs = performance.now();
  for (;;) {
    await pause(settleMs / 2);
    const next = await readers.report();
    if (next.deliveries === last.deliveries && performance.now() - lastMs > settleMs) {
      return { ...next, lastMs };
    }
    if (next.deliveries !== last.deliveries) lastMs = performance.now();
    last = next;
  }
}

/** How long it takes until all streams are back that were cut at once, behind nothing. */
export async function stormSeconds(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<number> {
  const targets = spreadOver(projects, size.held);
  await readers.open(side.port, targets);
  await offer(side, readers, { targets: projects, rate: projects.length, seconds: 2 });
  await readers.cut();
  const startMs = performance.now();
  await readers.open(side.port, targets, true);
  const tookMs = performance.now() - startMs;
  await readers.cut();
  return tookMs / 1_000;
}

/** What readers that stopped reading cost in memory while the others are served. */
export async function stalledGrowthMb(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  size: Sizes,
): Promise<number> {
  const one = projects.slice(0, 1);
  await readers.open(side.port, spreadOver(one, size.oneProject));
  await readers.stall(size.stalled);
  const beforeMb = residentMb(side.pid);
  await offer(side, readers, { targets: one, rate: 200, seconds: 2 * size.seconds });
  const grownMb = residentMb(side.pid) - beforeMb;
  await readers.cut();
  return grownMb;
}
