import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { readSeries, undescribed } from './support/exposed-metrics.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { PublicApi } from './support/public-api.ts';
import { scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const reserved = 125;
const serial = 10;
let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack();
});
afterAll(() => stack?.close());

test('250,001 assets cost the whole reservation and no credit more (Refresh charge) [refresh-charge]', async () => {
  const customer = await stack.operator.newCustomer();
  const { api, accountId, projectId } = customer;
  const scope = scenarioScope('size-250001', serial);

  const refreshId = await api.accepted(scope);
  await untilCompleted(api, projectId, [refreshId]);

  const record = await api.record(refreshId);
  expect(record.billing).toMatchObject({ credits_charged: reserved, credits_released: 0 });
  expect(await stack.operator.balance(accountId)).toMatchObject({ total: 1_000_000 - reserved });
  const page = (await api.current(scope)).json.data;
  expect(page).toMatchObject({ total_count: 250_001, revision_id: record.revision_id });
  expect(page.assets).toHaveLength(2_000);
});

/** Series of one service; a few hundred are its known errors. */
const seriesMax = 2_500;

describe('the metrics of a product that is asked strangely', () => {
  test('are described, and every label has one of its known values, never an id', async () => {
    const customers = await Promise.all(Array.from({ length: 5 }, stack.operator.newCustomer));
    await Promise.all(customers.map(({ api }) => requestStrangely(api)));

    for (const service of stack.services) {
      const series = await readSeries(service);
      expect([service.name, undescribed(series)]).toEqual([service.name, []]);
      expect([service.name, series.length < seriesMax]).toEqual([service.name, true]);
    }
  });

  test('grow with the kinds of requests, not with callers and ids', async () => {
    const shown = async () => {
      const series = await readSeries(stack.service('gateway'));
      const requests = series.filter(({ name }) => name === 'http_server_request_duration_count');
      return new Set(requests.map(({ labels }) => JSON.stringify(labels)));
    };
    await requestStrangely((await stack.operator.newCustomer()).api);
    const before = await shown();
    for (let others = 0; others < 5; others += 1) {
      await requestStrangely((await stack.operator.newCustomer()).api);
    }

    expect([...(await shown())].filter((labels) => !before.has(labels))).toEqual([]);
    expect(before.size).toBeGreaterThan(8);
  });
});

/** The same requests for every customer: each with ids, keys and paths that were not used before. */
async function requestStrangely(api: PublicApi): Promise<void> {
  const id = systemIdentifiers.uuidV7();
  const scope = sizeScope(100, Number.parseInt(id.slice(-6), 16));
  const paths = [
    `/v2/platform/inventory-refreshes/${id}`,
    `/v2/projects/${id}/events`,
    `/v2/${id}/${id}`,
    `/${id}?cursor=${id}`,
  ];
  for (const path of paths) await api.call({ path });
  await api.call({ method: 'DELETE', path: `/v2/platform/inventory-refreshes/${id}` });
  await api.call({ method: 'PROPFIND', path: `/${id}` });
  await api.refresh(scope, { key: `key-${id}`, maxCredits: 1 });
  await api.refresh(scope, { key: `key-${id}`, language: id });
  await api.current(scope);
  await api.current(scope, `?cursor=${id}`);
}
