import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentCodings } from '@inventory/contracts/vocabulary';
import type { Stack } from '@inventory/local-stack/stack';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { inventoryPath, newInventory } from '../customer.ts';
import { closedLoop, type LoadResult } from '../load.ts';
import { openPages } from '../pages.ts';
import { lessIsBetter, moreIsBetter, type Row } from '../row.ts';
import { makeTopics } from '../yardsticks/ping-pong.ts';
import { startYardstick } from '../yardsticks/start-yardstick.ts';

const concurrency = 16;
const assets = 2_000;

interface PageLoad extends LoadResult {
  readonly page: Buffer;
  /** CPU of the gateway. */
  readonly cpuMsPerPage: number;
}

type Loads = Readonly<
  Record<'alone' | 'one' | 'identity' | (typeof contentCodings)[number], PageLoad>
>;

/**
 * (c) Pages of 2,000 assets, paid for, against the least such a page costs: one Kafka round trip,
 * one durable insert, one proxied fetch of the same bytes; packed ones against bare Koa that packs
 * for each request; and what they add to the gateway's CPU for a page of one asset.
 */
export const currentPage: Benchmark = {
  name: 'current-page',
  async run(context) {
    const ours = await currentPages(context);
    const plain = ours.identity;
    const minimal = await minimalPages(context, plain.page.length);
    const barePacked = await bareGzipPages(plain.page, context.periodMs);
    return [
      moreIsBetter({
        name: 'Current, 2,000-asset page, against a minimal paid server',
        value: plain.perSecond,
        unit: '/s',
        yardstick: minimal.perSecond,
        floor: 0.5,
      }),
      moreIsBetter({
        name: 'the same in gzip, against bare Koa that packs each',
        value: ours.gzip.perSecond,
        unit: '/s',
        yardstick: barePacked.perSecond,
        floor: 1,
      }),
      lessIsBetter({
        name: 'Current of one asset, one at a time, p50',
        value: ours.alone.p50Ms,
        unit: 'ms',
        yardstick: 9,
      }),
      ...cpuRows(ours),
    ];
  },
};

/** What a page costs the gateway, and what its assets add; the yardsticks are the goals. */
function cpuRows(loads: Loads): Row[] {
  const { one, identity } = loads;
  const added = (load: PageLoad) => load.cpuMsPerPage - one.cpuMsPerPage;
  const row = (name: string, value: number, yardstick: number) =>
    lessIsBetter({ name: `gateway CPU ${name}`, value, unit: 'ms', yardstick });
  return [
    row('of a page of one asset', one.cpuMsPerPage, 1.5),
    row('that 2,000 plain assets add', added(identity), 1.5),
    ...contentCodings.map((coding) =>
      row(`that 2,000 assets in ${coding} add`, added(loads[coding]), 0.5),
    ),
  ];
}

function currentPages({ withCustomer, periodMs }: BenchContext): Promise<Loads> {
  return withCustomer({}, async ({ gatewayUrl, services }, customer) => {
    const urlOf = async (count: number) => {
      const inventory = newInventory(count);
      await customer.completed(await customer.refresh(inventory));
      return `${gatewayUrl}${inventoryPath(inventory)}/current`;
    };
    const [one, many] = [await urlOf(1), await urlOf(assets)];
    const measure = async (url: string, coding: string, clients = concurrency) => {
      const headers = { 'x-api-key': customer.apiKey, 'accept-encoding': coding };
      const { page, ...load } = await loadPages({ url, headers, clients, services }, periodMs);
      return { ...load, page, cpuMsPerPage: (load.cpuMs.get('gateway') ?? 0) / load.count };
    };
    return {
      alone: await measure(one, 'identity', 1),
      one: await measure(one, 'identity'),
      identity: await measure(many, 'identity'),
      br: await measure(many, 'br'),
      gzip: await measure(many, 'gzip'),
      zstd: await measure(many, 'zstd'),
    };
  });
}

async function minimalPages(
  { backends, periodMs }: BenchContext,
  bytes: number,
): Promise<LoadResult> {
  const { kafkaBrokers, mongodbUri } = backends;
  const run = randomUUID().slice(0, 8);
  const [there, back] = [`bench.there.${run}`, `bench.back.${run}`];
  await makeTopics(kafkaBrokers, [there, back]);
  const echo = await startYardstick('echo', [kafkaBrokers, '', there, back]);
  const source = await startYardstick('page-source', [String(bytes)]);
  const database = `bench_minimal_${run}`;
  const server = await startYardstick('minimal-server', [
    ...[kafkaBrokers, there, back, mongodbUri, database, source.ready],
  ]);
  try {
    return await loadPages({ url: server.ready }, periodMs);
  } finally {
    await Promise.all([server.stop(), source.stop(), echo.stop()]);
  }
}

async function bareGzipPages(page: Buffer, periodMs: number): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
  const file = join(folder, 'page.json');
  writeFileSync(file, page);
  const server = await startYardstick('bare-koa', [file]);
  try {
    return await loadPages({ url: server.ready }, periodMs);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

interface WantedPages {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** That many at a time. */
  readonly clients?: number;
  readonly services?: Stack['services'];
}

async function loadPages(wanted: WantedPages, periodMs: number) {
  const { url, headers = {}, clients = concurrency, services = [] } = wanted;
  const pages = openPages(url, headers, clients);
  const page = await pages.read();
  const load = await closedLoop({ concurrency: clients, periodMs, work: pages.read, services });
  await pages.close();
  return { ...load, page };
}
