import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Stack } from '@inventory/local-stack/stack';
import { request } from 'undici';
import type { Benchmark } from '../benchmark.ts';
import { inventoryPath, newInventory } from '../customer.ts';
import { cpuDuring, residentMb } from '../process-usage.ts';
import { lessIsBetter, moreIsBetter, type Row, reported } from '../row.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const codings = ['identity', 'gzip'] as const;
const memoryMaxMb = 64;
const sampleMs = 20;
/** The best of so many counts: other processes only ever make it slower. */
const runs = 3;

/**
 * The export of a large inventory, against a bare server that streams the same bytes from a file; and
 * the most memory that it adds to the services that it passes.
 */
export const exportInventory: Benchmark = {
  name: 'export',
  run: ({ withCustomer, quick }) =>
    withCustomer({}, async (stack, customer) => {
      const assets = quick ? 20_000 : 250_000;
      const inventory = newInventory(assets);
      await customer.completed(await customer.refresh(inventory));
      const url = `${stack.gatewayUrl}${inventoryPath(inventory)}/current/export`;
      const headers = { 'x-api-key': customer.apiKey };
      // Their heaps are small then, as of a process that did nothing else.
      await Promise.all(passedOf(stack).map((replica) => replica.restart()));
      const folder = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
      const file = join(folder, 'export.ndjson');
      const bytes = await download(url, { ...headers, 'accept-encoding': 'identity' }, file);
      const bare = await startYardstick('bare-stream', [file]);
      const rows: Row[] = [];
      for (const coding of codings) {
        const rate = async (from: string) => {
          let bestMs = Number.POSITIVE_INFINITY;
          for (let run = 0; run < runs; run += 1) {
            const startMs = performance.now();
            await download(from, { ...headers, 'accept-encoding': coding });
            bestMs = Math.min(bestMs, performance.now() - startMs);
          }
          return bytes / 1_000 / bestMs;
        };
        const yardstick = await rate(bare.ready);
        const [[value, memory], used] = await cpuDuring(stack, () =>
          memoryAdded(stack, () => rate(url)),
        );
        const name = `export of ${assets} assets in ${coding}`;
        rows.push(
          moreIsBetter({
            ...{ name: `${name}, against the bare stream`, value, unit: 'MB/s', yardstick },
            floor: 0.5,
          }),
          ...[...memory].map(([replica, mb]) =>
            lessIsBetter({
              ...{ name: `${name}, memory added to ${replica}`, value: Math.max(mb, 0.1) },
              ...{ unit: 'MB', yardstick: memoryMaxMb, floor: 1 },
            }),
          ),
          ...[...memory.keys()].map((replica) =>
            reported(
              `${name}, CPU of ${replica}`,
              (1_000_000 * (used.get(replica) ?? 0)) / (runs * bytes),
              'ms/MB',
            ),
          ),
        );
      }
      await bare.stop();
      rmSync(folder, { recursive: true });
      return rows;
    }),
};

/** Bytes of the body, written to a file or dropped. */
async function download(
  url: string,
  headers: Readonly<Record<string, string>>,
  file?: string,
): Promise<number> {
  const { statusCode, body } = await request(url, { headers });
  if (statusCode !== 200) throw new Error(`the download responded with ${statusCode}`);
  const sink = createWriteStream(file ?? '/dev/null');
  await pipeline(body, sink);
  return sink.bytesWritten;
}

/** The replicas on the way. */
const passedOf = ({ services }: Pick<Stack, 'services'>) =>
  services.filter(({ service }) => service === 'gateway' || service === 'revision-store');

/** The most memory above what it had before, of each replica on the way. */
async function memoryAdded<Result>(
  stack: Pick<Stack, 'services'>,
  work: () => Promise<Result>,
): Promise<[Result, ReadonlyMap<string, number>]> {
  const replicas = passedOf(stack).flatMap(({ name, pid }) =>
    pid === null ? [] : [{ name, pid, before: residentMb(pid) }],
  );
  const most = new Map(replicas.map(({ name }) => [name, 0]));
  const timer = setInterval(() => {
    for (const { name, pid, before } of replicas) {
      most.set(name, Math.max(most.get(name) ?? 0, residentMb(pid) - before));
    }
  }, sampleMs);
  const result = await work().finally(() => clearInterval(timer));
  return [result, most];
}
