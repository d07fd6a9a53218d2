import { parseArgs } from 'node:util';
import { provisionBackends } from '@inventory/backends/provision-backends';
import { describeKafka, describeMongodb } from '@inventory/backends/server-description';
import type { Benchmark } from './benchmark.ts';
import { admissionLatency } from './benchmarks/admission-latency.ts';
import { currentPage } from './benchmarks/current-page.ts';
import { largeRefresh } from './benchmarks/large-refresh.ts';
import { ledgerCore } from './benchmarks/ledger-core.ts';
import { ledgerStore } from './benchmarks/ledger-store.ts';
import { livePage } from './benchmarks/live-page.ts';
import { liveRate } from './benchmarks/live-rate.ts';
import { refreshThroughput } from './benchmarks/refresh-throughput.ts';
import { scaling } from './benchmarks/scaling.ts';
import { streams } from './benchmarks/streams.ts';
import { type Row, toTable } from './row.ts';

const benchmarks: readonly Benchmark[] = [
  admissionLatency,
  refreshThroughput,
  currentPage,
  livePage,
  liveRate,
  ledgerCore,
  ledgerStore,
  largeRefresh,
  scaling,
  streams,
];

const usage = `npm run bench -- [name …] [--json] [--quick]

Measures each benchmark beside its yardstick, on the same servers in the same run.
Names: ${benchmarks.map(({ name }) => name).join(', ')}; all when none is given.`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !benchmarks.some((bench) => bench.name === name));
  if (values.help || unknown.length > 0) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = unknown.length > 0 ? 2 : 0;
    return;
  }
  const chosen = benchmarks.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
  // The quicker of the builds: figures of a slow store would measure the store.
  const environment = { MONGODB_NATIVE: 'cargo', ...process.env };
  const backends = await provisionBackends({ environment, docker: 'never', onProgress: say });
  const rows: Row[] = [];
  try {
    const kafka = await describeKafka(backends.kafkaBrokers);
    const mongodb = await describeMongodb(backends.mongodbUri);
    say(`On ${kafka} and ${mongodb}.`);
    for (const { name, run } of chosen) {
      say(`== ${name}`);
      rows.push(...(await run({ backends, quick: values.quick, say })));
    }
    const servers = `${kafka}; ${mongodb}; Node ${process.version}`;
    process.stdout.write(
      values.json ? `${JSON.stringify(rows)}\n` : `${servers}\n\n${toTable(rows)}\n`,
    );
  } finally {
    await backends.stop();
  }
}

void main();
