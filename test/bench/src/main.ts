import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { provisionBackends } from '@inventory/backends/provision-backends';
import { openStacks } from './bench-stacks.ts';
import type { BenchContext, Benchmark, BenchOptions } from './benchmark.ts';
import { admissionLatency } from './benchmarks/admission-latency.ts';
import { changesPage } from './benchmarks/changes-page.ts';
import { collectors } from './benchmarks/collectors.ts';
import { currentPage } from './benchmarks/current-page.ts';
import { exportInventory } from './benchmarks/export.ts';
import { heldStreams } from './benchmarks/held-streams.ts';
import { idle, leaveIdle } from './benchmarks/idle.ts';
import { largeRefresh } from './benchmarks/large-refresh.ts';
import { ledgerCore } from './benchmarks/ledger-core.ts';
import { ledgerHistory } from './benchmarks/ledger-history.ts';
import { ledgerNeighbours } from './benchmarks/ledger-neighbours.ts';
import { ledgerReplies } from './benchmarks/ledger-replies.ts';
import { ledgerStore } from './benchmarks/ledger-store.ts';
import { liveNeighbour } from './benchmarks/live-neighbour.ts';
import { livePage } from './benchmarks/live-page.ts';
import { liveRate } from './benchmarks/live-rate.ts';
import { pendingWork } from './benchmarks/pending-work.ts';
import { turns } from './benchmarks/planner.ts';
import { refreshThroughput } from './benchmarks/refresh-throughput.ts';
import { sandboxNeighbour } from './benchmarks/sandbox-neighbour.ts';
import { scaling } from './benchmarks/scaling.ts';
import { streams } from './benchmarks/streams.ts';
import { unknownKeys } from './benchmarks/unknown-keys.ts';
import { webhooks } from './benchmarks/webhooks.ts';
import { measureEach } from './measure-each.ts';
import { isMissed, type Row, toTable } from './row.ts';

/** Those on stacks of the same options follow each other: they share one. */
const benchmarks: readonly Benchmark[] = [
  // The plain stack is idle while what uses none is measured.
  leaveIdle,
  ledgerCore,
  ledgerStore,
  ledgerHistory,
  ledgerNeighbours,
  ledgerReplies,
  turns,
  idle,
  // Its memory is that of services that did not do much before.
  largeRefresh,
  refreshThroughput,
  currentPage,
  exportInventory,
  changesPage,
  livePage,
  liveNeighbour,
  unknownKeys,
  pendingWork,
  // Its deliveries remain and are never taken.
  webhooks,
  admissionLatency,
  liveRate,
  sandboxNeighbour,
  scaling,
  streams,
  heldStreams,
  // Last: where it cannot end in time its virtual time remains.
  collectors,
];

const usage = `npm run bench -- [name …] [--json] [--quick] [--seed <number>]

Measures each benchmark beside its yardstick, on the same servers in the same run.
A name also selects those that begin with it, as \`ledger\` does.
Names: ${[...new Set(benchmarks.map(({ name }) => name))].join(', ')}; all when none is given.
Fails when a figure misses its floor, and names the seed. A benchmark that cannot run, or has not
ended after 12 minutes (a quick one: three), is a missed row, and so are those that are left after
40 minutes (ten).`;

const minuteMs = 60_000;
/** Of a whole run and of a quick one. One benchmark that hangs leaves most of the time to the others. */
const times = {
  whole: { periodMs: 20_000, allMs: 40 * minuteMs, oneMs: 12 * minuteMs },
  quick: { periodMs: 2_000, allMs: 10 * minuteMs, oneMs: 3 * minuteMs },
};

const slowServer =
  'This MongoDB server reads whole collections for most updates: figures with writes are far below those of docs/contributors/benchmarks.md, which names a faster server.';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const isMeant = (bench: Benchmark) => (given: string) =>
    bench.name === given || bench.name.startsWith(`${given}-`);
  const unknown = positionals.filter((given) => !benchmarks.some((one) => isMeant(one)(given)));
  if (values.help || unknown.length > 0) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = unknown.length > 0 ? 2 : 0;
    return;
  }
  const chosen = benchmarks.filter(
    (one) => positionals.length === 0 || positionals.some(isMeant(one)),
  );
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
  const seed = Number(values.seed ?? randomInt(1, 1_000_000));
  const { periodMs, ...limits } = times[values.quick ? 'quick' : 'whole'];
  const options = { quick: values.quick, periodMs, seed, say };
  const { rows, servers } = chosen.some((benchmark) => 'run' in benchmark)
    ? await withBackends(options, (context) => measureEach(chosen, context, limits))
    : { rows: await measureEach(chosen, options, limits), servers: [] };
  const machine = [...servers, `Node ${process.version}`].join('; ');
  process.stdout.write(
    values.json ? `${JSON.stringify(rows)}\n` : `${machine}; seed ${seed}\n\n${toTable(rows)}\n`,
  );
  const missed = rows.filter(isMissed);
  if (missed.length === 0) return;
  say(`Missed with --seed ${seed}: ${missed.map(({ name }) => name).join('; ')}`);
  process.exitCode = 1;
}

async function withBackends(
  options: BenchOptions,
  work: (context: BenchContext) => Promise<Row[]>,
): Promise<{ readonly rows: Row[]; readonly servers: string[] }> {
  const environment = process.env;
  const onProgress = options.say;
  const backends = await provisionBackends({ environment, docker: 'never', onProgress });
  const { close, ...stacks } = openStacks(backends);
  try {
    const { kafka, mongodb } = backends.origin;
    options.say(`Servers: ${kafka}; ${mongodb}.`);
    if (/^SecantusDB 0\.6\.0/.test(mongodb)) options.say(slowServer);
    return { rows: await work({ ...options, ...stacks, backends }), servers: [kafka, mongodb] };
  } finally {
    await close();
    await backends.stop();
  }
}

// A benchmark that did not end leaves its servers running; they end with this process.
void main().finally(() => process.exit());
