import { pause } from '@inventory/runtime/wait';
import { residentMb } from './process-usage.ts';
import type { Readers, Side } from './stream-world.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** Projects with the same number of streams each, and the rates that are offered to all together. */
export interface Shape {
  readonly projects: number;
  readonly streamsEach: number;
  /** Events a second, one rate after the other: the last ones are more than any side can take. */
  readonly rates: readonly number[];
}

/** How many streams, Projects and seconds are measured, after so many collections of garbage at most. */
export interface Sizes {
  /** One Project; many streams of some; few streams of most, whose memory is measured too. */
  readonly shapes: { readonly one: Shape; readonly many: Shape; readonly most: Shape };
  readonly seconds: number;
  readonly collectionsMax: number;
}

export const streamsOf = ({ projects, streamsEach }: Shape): number => projects * streamsEach;

const intervalMs = 10;
/** Events that are announced and not yet taken, such as by the broker. */
const untakenMax = 5_000;
const settleMs = 500;
const closeMs = 1_000;
/** A full collection with all streams open takes a fifth of it. */
const collectMs = 1_000;

export interface Measured {
  readonly heldKb: number;
  /** The most deliveries a second. */
  readonly rates: Readonly<Record<keyof Sizes['shapes'], number>>;
}

/** So many targets, round-robin from one of them on. */
export function spreadOver<Target>(targets: readonly Target[], count: number, from = 0): Target[] {
  return Array.from(
    { length: count },
    (_none, at) => targets[(from + at) % targets.length] as Target,
  );
}

const streamsOfShape = (projects: readonly StreamTarget[], shape: Shape): StreamTarget[] =>
  spreadOver(projects.slice(0, shape.projects), streamsOf(shape));

/** Memory and deliveries of one side, its streams all closed again. */
export async function measure(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes, seconds, collectionsMax }: Sizes,
): Promise<Measured> {
  const targetsOf = (shape: Shape) => projects.slice(0, shape.projects);
  const best = async (shape: Shape): Promise<number> => {
    let most = 0;
    for (const rate of shape.rates) {
      const offered = { targets: targetsOf(shape), rate, seconds };
      const { perSecond, isKept } = await offer(side, readers, offered);
      most = Math.max(most, perSecond);
      // A rate that is not kept ends the search.
      if (!isKept) break;
    }
    return most;
  };
  const beforeMb = await usedMb(side, collectionsMax);
  await readers.open(side.port, streamsOfShape(projects, shapes.most));
  await pause(settleMs);
  const heldKb =
    (((await usedMb(side, collectionsMax)) - beforeMb) * 1_024) / streamsOf(shapes.most);
  const most = await best(shapes.most);
  await cutAll(readers);
  await readers.open(side.port, streamsOfShape(projects, shapes.many));
  const many = await best(shapes.many);
  await cutAll(readers);
  await readers.open(side.port, streamsOfShape(projects, shapes.one));
  const one = await best(shapes.one);
  await readers.cut();
  return { heldKb, rates: { one, many, most } };
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
async function usedMb({ pid, collectsGarbage }: Side, collectionsMax: number): Promise<number> {
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
  return { perSecond, isKept: tookMs < seconds * 1_250 };
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

/** Cuts all streams at once and opens them again, resumed without a backlog. */
export async function storm(
  side: Side,
  readers: Readers,
  projects: readonly StreamTarget[],
  { shapes }: Sizes,
): Promise<void> {
  await readers.cut();
  await readers.open(side.port, streamsOfShape(projects, shapes.most), true);
}
