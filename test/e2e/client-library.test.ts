import { isDeepStrictEqual } from 'node:util';
import {
  AuthenticationError,
  ConflictError,
  InventoryNotReadableError,
  NotFoundError,
  PaymentRequiredError,
} from '@inventory/client/errors';
import { createInventoryClient, type InventoryClient } from '@inventory/client/inventory-client';
import type { Asset, DescribedAsset } from '@inventory/client/records';
import { type Environment, environments } from '@inventory/contracts/environment';
import { waitFor } from '@inventory/testkit/wait-for';
import type { Customer, CustomerOptions } from './support/operator.ts';
import { joinKey, openTruthReader, type Row, type TruthReader } from './support/platform-truth.ts';
import { openSharedStack } from './support/shared-stack.ts';
import {
  createSimulatorControl,
  inEnvironment,
  scenarioScope,
  sizeScope,
} from './support/simulator-control.ts';

/** The published client against the whole product, as a customer uses it. */
const stack = openSharedStack();
const simulator = createSimulatorControl(stack.simulatorUrl);
let truth: TruthReader;

beforeAll(async () => {
  truth = await openTruthReader();
});
afterAll(async () => {
  await truth?.close();
  await stack.close();
});

function clientOf({ secret }: Pick<Customer, 'secret'>): InventoryClient {
  return createInventoryClient({ baseUrl: stack.gatewayUrl, apiKey: secret });
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = [];
  for await (const item of items) read.push(item);
  return read;
}

/** Every asset of the platform in its order, each with its text. */
function expectInventory(read: readonly DescribedAsset[], assets: readonly Row[]): void {
  expect(read.map(({ asset }) => asset.assetid)).toEqual(assets.map(({ assetid }) => assetid));
  const joined = read.every(({ asset, description }) =>
    description === null ? false : joinKey(description) === joinKey(asset),
  );
  expect(joined).toBe(true);
}

type Keys = ReturnType<typeof keysOf>;

/** Customers and inventories of an environment. */
function keysOf(environment: Environment) {
  const newCustomer = (options: CustomerOptions = {}) =>
    stack.operator.newCustomer({ environment, ...options });
  return {
    newCustomer,
    newClient: async (credits?: number) =>
      clientOf(await newCustomer(credits === undefined ? {} : { credits })),
    scenario: (name: string, serial: number) =>
      inEnvironment(environment, scenarioScope(name, serial)),
    sized: (size: number, serial: number) => inEnvironment(environment, sizeScope(size, serial)),
  };
}

/** A test with a live key, and at the same time with a sandbox key (Sandbox). */
function withBothKeys(run: (keys: Keys) => Promise<void>): () => Promise<void> {
  const runIn = (environment: Environment) =>
    run(keysOf(environment)).catch((error: unknown) => {
      if (error instanceof Error) error.message = `${environment} key: ${error.message}`;
      throw error;
    });
  return async () => void (await Promise.all(environments.map(runIn)));
}

test(
  'refreshAndWait collects 4,001 assets, and walking Current gives them all, an export the same rows for the same price (Refresh, Current, Export) [export, current-lookups]',
  withBothKeys(async ({ newClient, sized }) => {
    const scope = sized(4_001, 70_000);
    const client = await newClient();
    const { assets } = await truth.of(scope);

    const { record, retryAfterSeconds } = await client.refreshAndWait(scope);
    const before = (await client.account()).balance.available;
    const read = await all(client.currentAssets(scope));
    const between = (await client.account()).balance.available;
    const exported = await client.readAll(scope);
    const after = (await client.account()).balance.available;
    const assetIds = [read[4_000], read[7]].map((row) => row?.asset.assetid ?? '');
    const { page } = await client.currentPage(scope, { assetIds: [...assetIds, '7'] });

    expect(exported.rows).toEqual(read);
    expect([before - between, between - after]).toEqual([3, 3]);
    expect(page.assets.map(({ assetid }) => assetid)).toEqual(assetIds);
    expect(page.not_in_revision).toEqual(['7']);
    expect(record).toMatchObject({ outcome: 'complete_changed', billing: { credits_charged: 3 } });
    expect(retryAfterSeconds).toBeNull();
    expectInventory(read, assets);
  }),
);

test(
  'changes lead from one revision to the next, and cost nothing where there are none (Changes) [changes-are-a-function-of-two-revisions, links-to-changes]',
  withBothKeys(async ({ newClient, sized }) => {
    const scope = sized(2_050, 70_010);
    const client = await newClient();
    const { record: first } = await client.refreshAndWait(scope);
    const before = await all(client.currentAssets(scope));
    const path = `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
    await simulator.call('POST', path, { kind: 'remove', positions: [3, 2_040] });
    await simulator.call('POST', path, { kind: 'add', count: 3 });
    const { record: second } = await client.refreshAndWait(scope);
    const after = await all(client.currentAssets(scope));
    const paidBefore = (await client.account()).balance.available;

    const since = first.revision_id ?? '';
    const pages = await all(client.changes(scope, since, { pageSize: 2 }));
    const none = await all(client.changes(scope, second.revision_id ?? ''));
    const paid = paidBefore - (await client.account()).balance.available;

    const [old, current] = [before, after].map((rows) => rows.map(({ asset }) => asset));
    const isIn = (rows: readonly Asset[] = [], { assetid }: Asset) =>
      rows.some((row) => row.assetid === assetid);
    const byId = (one: Asset, other: Asset) => Number(BigInt(one.assetid) - BigInt(other.assetid));
    expect(second.links?.changes).toBe(
      `/v2/platform/users/${scope.platform_id}/inventory/730/2/changes?since=${since}`,
    );
    expect(pages.flatMap(({ page }) => page.added)).toEqual(
      current?.filter((row) => !isIn(old, row)).sort(byId),
    );
    expect(pages.flatMap(({ page }) => page.removed)).toEqual(
      old?.filter((row) => !isIn(current, row)).sort(byId),
    );
    expect(pages[0]?.page.counts).toEqual({ added: 3, removed: 2, changed: 0 });
    expect(none.map(({ page, meta }) => [page.pagination.has_more, meta.billing_reason])).toEqual([
      [false, 'no_changes'],
    ]);
    expect([pages.length, paid]).toEqual([3, 3]);
  }),
);

test(
  'walking Live Pages gives the same inventory, each page paid once (Live Page)',
  withBothKeys(async ({ newClient, sized }) => {
    const scope = sized(4_001, 70_001);
    const client = await newClient(1_000);
    const { assets } = await truth.of(scope);

    const read = await all(client.liveAssets(scope));

    expectInventory(read, assets);
    expect((await client.account()).balance).toEqual({ total: 997, held: 0, available: 997 });
  }),
);

test(
  'total_amount is exact where it exceeds 2^53 (Reads) [total-amount]',
  withBothKeys(async ({ newClient, scenario }) => {
    const scope = scenario('huge-amounts', 70_000);
    const client = await newClient();
    await client.refreshAndWait(scope);

    const { page } = await client.currentPage(scope);

    const sum = page.assets.reduce(
      (total: bigint, { amount }: Asset) => total + BigInt(amount),
      0n,
    );
    expect(page.total_amount).toBe(sum);
    expect(page.total_amount > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
  }),
);

test(
  'the same key finds the same refresh; with other inputs it is a conflict (Idempotency-Key)',
  withBothKeys(async ({ newClient, sized }) => {
    const client = await newClient();
    const scope = sized(1, 70_003);
    const options = { idempotencyKey: 'order 4711' };

    const first = await client.refresh(scope, options);
    const second = await client.refresh(scope, options);

    expect([first.replayed, second.replayed]).toEqual([false, true]);
    expect(second.record.refresh_id).toBe(first.record.refresh_id);
    await expect(client.refresh(sized(2, 70_003), options)).rejects.toThrow(ConflictError);
  }),
);

test(
  'a batch gives each inventory its own refresh or its own refusal, and waiting on a status returns at the end (Batch, Status)',
  withBothKeys(async ({ newClient, sized }) => {
    const client = await newClient(300);
    const scopes = [1, 2, 3].map((size) => sized(size, 70_007));

    const results = await client.refreshBatch(scopes.map((scope) => ({ scope })));
    const responses = results.flatMap((result) => (result.accepted ? [result.answer] : []));
    const refused = results.flatMap((result) => (result.accepted ? [] : [result.error]));
    const ended = await Promise.all(
      responses.map(({ record }) => client.waitForRefresh(record.refresh_id)),
    );

    expect(responses).toHaveLength(2);
    expect(refused).toMatchObject([{ code: 'insufficient_credits', detail: { required: 125 } }]);
    expect(refused[0]).toBeInstanceOf(PaymentRequiredError);
    expect(ended.map(({ record }) => record.outcome)).toEqual(
      responses.map(() => 'complete_changed'),
    );
  }),
);

test(
  'a page that was paid is read again for nothing with its key (Live Page)',
  withBothKeys(async ({ newClient, sized }) => {
    const client = await newClient(100);
    const options = { idempotencyKey: 'page 1' };

    const first = await client.livePage(sized(5, 70_004), options);
    const second = await client.livePage(sized(5, 70_004), options);

    expect(isDeepStrictEqual(second.page.assets, first.page.assets)).toBe(true);
    expect([first.meta.credits_charged, second.meta.credits_charged]).toEqual([1, 0]);
    expect([first.replayed, second.replayed]).toEqual([false, true]);
  }),
);

test(
  'refusals have classes, with code, status and what was charged',
  withBothKeys(async ({ newClient, scenario }) => {
    const client = await newClient(1);
    const poor = await newClient(0);
    const scope = scenario('private', 70_005);

    await expect(client.livePage(scope)).rejects.toThrow(InventoryNotReadableError);
    await expect(client.livePage(scope)).rejects.toMatchObject({ code: 'insufficient_credits' });
    await expect(poor.refresh(scope)).rejects.toThrow(PaymentRequiredError);
    await expect(poor.currentPage(scope)).rejects.toThrow(NotFoundError);
    await expect(clientOf({ secret: 'inv_none' }).account()).rejects.toThrow(AuthenticationError);
  }),
);

test(
  'what was refreshed is in the list, the statement and the usage, at the listed prices',
  withBothKeys(async ({ newCustomer, sized }) => {
    const customer = await newCustomer();
    const { secret } = await stack.operator.newCredential(customer.projectId, {
      scopes: ['platform.inventory.refresh.v1', 'customer.account.read.v1'],
    });
    const client = clientOf({ secret });
    const { record } = await client.refreshAndWait(sized(2_001, 70_006));

    const listed = await all(client.refreshes(customer.projectId, { limit: 1 }));
    const rows = await all(client.statement({ limit: 1 }));
    const { items } = await client.usage();
    const prices = await client.prices();

    expect(listed.map(({ refresh_id }) => refresh_id)).toEqual([record.refresh_id]);
    expect(rows.filter(({ refresh_id }) => refresh_id === record.refresh_id)).not.toEqual([]);
    expect(items).toMatchObject([
      { project_id: customer.projectId, count: 1, charged: 2 * prices.refresh.block },
    ]);
  }),
);

test(
  'an observation that is young enough answers every refresh that allows it: at once, free, with its event (Freshness) [max-age-seconds]',
  withBothKeys(async ({ newCustomer, newClient, sized }) => {
    const scope = sized(4_001, 70_008);
    const { record: scanned } = await (await newClient()).refreshAndWait(scope);
    const customer = await newCustomer({ credits: 0 });
    await stack.operator.switchEvents(customer.accountId, true);
    const { secret } = await stack.operator.newCredential(customer.projectId, {
      scopes: ['*', 'customer.events.read.v1'],
    });
    const client = clientOf({ secret });

    const { record, retryAfterSeconds } = await client.refresh(scope, { maxAge: 3_600 });

    expect(record).toMatchObject({
      state: 'completed',
      outcome: 'complete_unchanged',
      served_from: 'saved',
      revision_id: scanned.revision_id,
      verified_at: scanned.verified_at,
      billing: { disposition: 'finalize_saved', credits_reserved: 0, credits_charged: 0 },
    });
    expect(retryAfterSeconds).toBeNull();
    expect((await client.status(record.refresh_id)).record).toMatchObject(record);
    await waitFor('its event is in the log, once', async () => {
      const events = await all(client.events(customer.projectId));
      const own = events.filter(
        ({ event }) => 'refresh_id' in event.data && event.data.refresh_id === record.refresh_id,
      );
      return own.length === 1;
    });
    await expect(client.refresh(scope, { maxAge: 0 })).rejects.toThrow(PaymentRequiredError);
  }),
);

test(
  'a watch has its run when it is due: a refresh that names it, with a product of its own (Watches) [watch-runs, watch-prices]',
  withBothKeys(async ({ newCustomer, sized }) => {
    const scope = sized(2_001, 70_009);
    const customer = await newCustomer();
    const { projectId } = customer;
    const { secret } = await stack.operator.newCredential(projectId, {
      scopes: ['*', 'customer.account.read.v1'],
    });
    const client = clientOf({ secret });
    const { watch_id } = await client.watch(projectId, scope, { everySeconds: 604_800 });
    const due = { nextRefreshAtMs: Date.now(), 'work.dueAtMs': Date.now() };
    const watches = (await stack.recordsOf('gateway')).collection('watches');
    await watches.updateOne({ watchId: watch_id }, { $set: due });

    const run = await waitFor('its run has ended', async () => {
      const [newest] = await all(client.watchRuns(projectId, scope, { charged: true }));
      return newest?.outcome === 'complete_changed' && newest;
    });

    expect(run).toMatchObject({ credits_charged: 2, deliveries: [] });
    expect((await client.status(run.refresh_id)).record).toMatchObject({ watch_id, scope });
    expect(await client.readWatch(projectId, scope)).toMatchObject({
      state: 'active',
      last_refresh_id: run.refresh_id,
      last_outcome: 'complete_changed',
    });
    const rows = await all(client.statement());
    const products = rows.filter(({ refresh_id }) => refresh_id === run.refresh_id);
    expect(products.map(({ kind, product_code }) => `${kind} ${product_code}`)).toEqual([
      'reserve platform.inventory.watch.v1',
      'settle platform.inventory.watch.v1',
    ]);
  }),
);
