import { pause } from '@inventory/runtime/wait';
import { watchMachine } from './machine-usage.ts';
import { residentMb } from './process-usage.ts';
import type { Side } from './stream-side.ts';
import type { Readers } from './stream-world.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** Projects with the same number of streams each, and the rates that are offered to all together. */
export interface Shape {
  readonly projects: number;
  readonly streamsEach: number;
  /** Events a second, one rate after the other: the last ones are more than any side can take. */
  readonly rates: readonly number[];
}

/** How many streams, Projects and seconds are measured. */
export interface Sizes {
  /** One Project; many streams of some; few streams of most, whose memory is measured too. */
  readonly shapes: { readonly one: Shape; readonly many: Shape; readonly most: Shape };
  readonly stalled: number;
  readonly seconds: number;
}

export const streamsOf = ({ projects, streamsEach }: Shape): number => projects * streamsEach;

/** Events a second at which delay is measured. */
export const steadyRate = 20;

const intervalMs = 10;
/** Events that are announced and not yet taken, such as by the broker. */
const untakenMax = 5_000;
const settleMs = 500;
const closeMs = 2_000;
/** A full collection with all streams open takes a tenth of it. */
const collectMs = 2_000;
const collectionsMax = 5;

/** The most deliveries a second, and what part of the machine each process had then. */
export interface Rate {
  readonly perSecond: number;
  readonly shares: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly heldKb: number;
  readonly rates: Readonly<Record<keyof Sizes['shapes'], Rate>>;
  readonly steady: ReaderReport;
}

/** So many targets, in turns from one of them on. */
export function spreadOver<Target>(targets: readonly Target[], count: number, from = 0): Target[] {
  return Array.from(
    { length: count },
    (_none, at) => targets[(from + at) % targets.length] as Target,
  );
}

/** Counts the CPU time of a side, its readers and its publisher, which is this process. */
export function watchSide({ pid: server, others }: Side, { pid }: Readers) {
  return watchMachine({ server, readers: pid, publisher: process.pid, ...others });
}

const streamsOfShape = (projects: readonly StreamTarget[], shape: Shape): StreamTarget[] =>
  spreadOver(projects.slice(0, shape.projects), streamsOf(shape));

/** Memory, deliveries and delay of one side, its streams all closed again. */
export async function measure(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes, seconds }: Sizes,
): Promise<Measured> {
  const targetsOf = (shape: Shape) => projects.slice(0, shape.projects);
  const best = async (shape: Shape): Promise<Rate> => {
    let most: Rate = { perSecond: 0, shares: {} };
    for (const rate of shape.rates) {
      const usage = watchSide(side, readers);
      const { perSecond, isKept } = await offer(side, readers, {
        ...{ targets: targetsOf(shape), rate, seconds },
      });
      if (perSecond > most.perSecond) most = { perSecond, shares: usage() };
      // A rate that is not kept ends the search.
      if (!isKept) break;
    }
    return most;
  };
  const beforeMb = await usedMb(side);
  await readers.open(side.port, streamsOfShape(projects, shapes.most));
  await pause(settleMs);
  const heldKb = (((await usedMb(side)) - beforeMb) * 1_024) / streamsOf(shapes.most);
  const most = await best(shapes.most);
  await cutAll(readers);
  await readers.open(side.port, streamsOfShape(projects, shapes.many));
  const many = await best(shapes.many);
  await cutAll(readers);
  await readers.open(side.port, streamsOfShape(projects, shapes.one));
  const targets = targetsOf(shapes.one);
  const steady = await offer(side, readers, { targets, rate: steadyRate, seconds });
  const one = await best(shapes.one);
  await readers.cut();
  return { heldKb, rates: { one, many, most }, steady: steady.report };
}

/** A server has few more files than streams: it closes these before others are opened. */
async function cutAll(readers: Readers): Promise<void> {
  await readers.cut();
  await pause(closeMs);
}

/**
 * Memory that a side has resident, without garbage where it can collect it: it collects until nothing
 * more is returned, because what is in use at a collection may be garbage soon after.
 */
async function usedMb({ pid, collectsGarbage }: Side): Promise<number> {
  if (!collectsGarbage) return residentMb(pid);
  let leastMb = Number.POSITIVE_INFINITY;
  for (let collected = 0; collected < collectionsMax; collected += 1) {
    process.kill(pid, 'SIGUSR2');
    await pause(collectMs);
    const nowMb = residentMb(pid);
    if (nowMb > leastMb - 1) return Math.min(nowMb, leastMb);
    leastMb = nowMb;
  }
  return leastMb;
}

/**
 * Announces at a rate for some seconds, or as fast as the side takes it, and counts what arrives until
 * nothing follows any more.
 */
async function offer(
  side: Side,
  readers: Readers,
  { targets, rate, seconds }: { targets: readonly StreamTarget[]; rate: number; seconds: number },
) {
  await readers.mark();
  const startMs = performance.now();
  const total = rate * seconds;
  let sent = 0;
  let untaken = 0;
  const announce = async (some: readonly StreamTarget[]) => {
    untaken += some.length;
    await side.announce(some);
    untaken -= some.length;
  };
  const sending: Promise<void>[] = [];
  while (sent < total) {
    const dueMs = performance.now() - startMs;
    const due = Math.min(total, Math.floor((dueMs / 1_000) * rate), sent + untakenMax - untaken);
    if (due > sent) sending.push(announce(spreadOver(targets, due - sent, sent)));
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

/** Opens all streams and gives each an event, whose cursor it resumes from once it is cut. */
export async function openWithCursors(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes }: Sizes,
): Promise<void> {
  await readers.open(side.port, streamsOfShape(projects, shapes.most));
  await offer(side, readers, { targets: projects, rate: projects.length, seconds: 2 });
}

/** How long it takes until all streams are back that are cut at once, behind nothing. */
export async function stormSeconds(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes }: Sizes,
): Promise<number> {
  await readers.cut();
  const startMs = performance.now();
  await readers.open(side.port, streamsOfShape(projects, shapes.most), true);
  return (performance.now() - startMs) / 1_000;
}

/** What readers that stopped reading cost in memory while the others are served. */
export async function stalledGrowthMb(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes, stalled, seconds }: Sizes,
): Promise<number> {
  const one = projects.slice(0, 1);
  await readers.open(side.port, streamsOfShape(one, shapes.one));
  await readers.stall(stalled);
  const beforeMb = residentMb(side.pid);
  await offer(side, readers, { targets: one, rate: 200, seconds: 2 * seconds });
  const grownMb = residentMb(side.pid) - beforeMb;
  await readers.cut();
  return grownMb;
}
