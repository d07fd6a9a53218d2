import {
  constants,
  monitorEventLoopDelay,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { elapsedSince, monotonicNow } from './clock.ts';
import { gauge, histogram, observedCounter } from './instruments.ts';
import { droppedLogLines } from './logger.ts';

const delay = (what: string, description: string) =>
  gauge({
    name: `nodejs.eventloop.delay.${what}`,
    description: `How late the event loop was since the last scrape, the 100 ms between two checks included: ${description}`,
    unit: 's',
  });
const delayMax = delay('max', 'the most');
const delayP99 = delay('p99', '99 of 100 checks');
const utilization = gauge({
  name: 'nodejs.eventloop.utilization',
  description: 'Share of the time since the last scrape that the event loop was busy',
});
const loopTime = observedCounter({
  name: 'nodejs.eventloop.time',
  description: 'Time that the event loop was active or idle',
  unit: 's',
  labels: { 'nodejs.eventloop.state': ['active', 'idle'] },
});
const gcTypes = ['major', 'minor', 'incremental', 'weakcb'] as const;
const gcDuration = histogram({
  name: 'v8js.gc.duration',
  description: 'Collections of garbage, by type',
  unit: 's',
  labels: { 'v8js.gc.type': gcTypes },
  buckets: [0.001, 0.01, 0.1, 1],
});
const heapUsed = gauge({
  name: 'v8js.memory.heap.used',
  description: 'Heap of V8 in use, by space',
  unit: 'By',
  labels: { 'v8js.heap.space.name': { words: 'heap spaces of V8', pattern: /^[a-z_]{3,40}$/ } },
});

/** Node's documentation of entries of the type `gc`. */
interface GcEntry {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

const gcTypeOf: Readonly<Record<number, (typeof gcTypes)[number]>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** Each wakes the process: at the default of 100 a second that is 1 % of a core. */
const sampleEveryMs = 100;
const nsPerSecond = 1e9;
/** Gauges of one scrape report one reading. */
const sameScrapeMs = 1_000;
const cpuTime = observedCounter({
  name: 'process.cpu.time',
  description: 'CPU time of the process',
  unit: 's',
  labels: { 'cpu.mode': ['user', 'system'] },
});
const memoryUsage = gauge({
  name: 'process.memory.usage',
  description: 'Physical memory of the process',
  unit: 'By',
});
const logLinesDropped = observedCounter({
  name: 'inventory.log.lines_dropped',
  description: 'Log lines dropped while standard output accepted none',
});

/** Reports CPU time and memory of the process, its event loop, and what its log lacks. */
export function observeProcess(process: NodeJS.Process): void {
  observeNode();
  cpuTime.observe((observe) => {
    const { user, system } = process.cpuUsage();
    observe(user / 1e6, { 'cpu.mode': 'user' });
    observe(system / 1e6, { 'cpu.mode': 'system' });
  });
  memoryUsage.observe((observe) => observe(process.memoryUsage.rss()));
  logLinesDropped.observe((observe) => observe(droppedLogLines()));
}

/**
 * Reports the event loop, collections of garbage and the heap, by the names of the semantic
 * conventions. Their instrumentation loads what changes modules as they are loaded, also where
 * nothing is traced.
 */
function observeNode(): void {
  const histogramOfDelay = monitorEventLoopDelay({ resolution: sampleEveryMs });
  histogramOfDelay.enable();
  let readMs = Number.NEGATIVE_INFINITY;
  let last = { maxSeconds: 0, p99Seconds: 0 };
  function delays(): typeof last {
    if (elapsedSince(readMs) < sameScrapeMs) return last;
    readMs = monotonicNow();
    const { max } = histogramOfDelay;
    const p99 = histogramOfDelay.percentile(99);
    last = { maxSeconds: max / nsPerSecond, p99Seconds: p99 / nsPerSecond };
    histogramOfDelay.reset();
    return last;
  }
  delayMax.observe((observe) => observe(delays().maxSeconds));
  delayP99.observe((observe) => observe(delays().p99Seconds));

  let before = performance.eventLoopUtilization();
  utilization.observe((observe) => {
    const now = performance.eventLoopUtilization();
    observe(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  });
  loopTime.observe((observe) => {
    const { active, idle } = performance.eventLoopUtilization();
    observe(active / 1_000, { 'nodejs.eventloop.state': 'active' });
    observe(idle / 1_000, { 'nodejs.eventloop.state': 'idle' });
  });
  heapUsed.observe((observe) => {
    for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
      observe(space_used_size, { 'v8js.heap.space.name': space_name });
    }
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as unknown as GcEntry[]) {
      const type = gcTypeOf[entry.detail.kind];
      if (type) gcDuration.record(entry.duration / 1_000, { 'v8js.gc.type': type });
    }
  }).observe({ entryTypes: ['gc'] });
}
