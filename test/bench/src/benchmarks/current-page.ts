import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentCodings } from '@inventory/contracts/vocabulary';
import type { Stack } from '@inventory/local-stack/stack';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { Agent, request } from 'undici';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { inventoryPath, openCustomer } from '../customer.ts';
import { closedLoop, type LoadResult } from '../load.ts';
import { cpuMs } from '../process-usage.ts';
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
    const durationMs = context.quick ? 4_000 : 15_000;
    const ours = await currentPages(context, durationMs);
    const plain = ours.identity;
    const minimal = await minimalPages(context, plain.page.length, durationMs);
    const barePacked = await bareGzipPages(plain.page, durationMs);
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

function currentPages({ backends }: BenchContext, durationMs: number): Promise<Loads> {
  return withStack(backends, { name: 'current-page' }, async (stack) => {
    const customer = await openCustomer(stack);
    const pathOf = async (count: number) => {
      const inventory = sizeInventory(count);
      await customer.completed(await customer.refresh(inventory));
      return `${inventoryPath(inventory)}/current`;
    };
    const [one, many] = [await pathOf(1), await pathOf(assets)];
    const measure = (path: string, coding: string, clients = concurrency) =>
      loadPages(stack, { path, coding, key: customer.apiKey, clients }, durationMs);
    const loads = {
      alone: await measure(one, 'identity', 1),
      one: await measure(one, 'identity'),
      identity: await measure(many, 'identity'),
      br: await measure(many, 'br'),
      gzip: await measure(many, 'gzip'),
      zstd: await measure(many, 'zstd'),
    };
    await customer.close();
    return loads;
  });
}

interface WantedPage {
  readonly path: string;
  readonly coding: string;
  readonly key: string;
  /** That many at a time. */
  readonly clients: number;
}

async function loadPages(
  { gatewayUrl, services }: Stack,
  { path, coding, key, clients }: WantedPage,
  durationMs: number,
): Promise<PageLoad> {
  const gateways = services.filter(({ service }) => service === 'gateway');
  const cpu = () => gateways.reduce((sum, { pid }) => sum + (pid === null ? 0 : cpuMs(pid)), 0);
  const headers = { 'x-api-key': key, 'accept-encoding': coding };
  const pages = openPages(`${gatewayUrl}${path}`, headers);
  const page = await pages.read();
  const work = pages.read;
  await closedLoop({ concurrency: clients, durationMs: durationMs / 4, work });
  const beforeMs = cpu();
  const load = await closedLoop({ concurrency: clients, durationMs, work });
  const cpuMsPerPage = (cpu() - beforeMs) / load.count;
  await pages.close();
  return { ...load, page, cpuMsPerPage };
}

async function minimalPages(
  { backends }: BenchContext,
  bytes: number,
  durationMs: number,
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
    return await pagesFrom(server.ready, durationMs);
  } finally {
    await Promise.all([server.stop(), source.stop(), echo.stop()]);
  }
}

async function bareGzipPages(page: Buffer, durationMs: number): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
  const file = join(folder, 'page.json');
  writeFileSync(file, page);
  const server = await startYardstick('bare-koa', [file]);
  try {
    return await pagesFrom(server.ready, durationMs);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function openPages(url: string, headers: Readonly<Record<string, string>> = {}) {
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  return {
    async read() {
      const { statusCode, body } = await request(url, { dispatcher: agent, headers });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`${url}: ${statusCode} ${bytes}`);
      return bytes;
    },
    close: () => agent.close(),
  };
}

async function pagesFrom(url: string, durationMs: number): Promise<LoadResult> {
  const pages = openPages(url);
  await closedLoop({ concurrency, durationMs: durationMs / 4, work: pages.read });
  const load = await closedLoop({ concurrency, durationMs, work: pages.read });
  await pages.close();
  return load;
}
