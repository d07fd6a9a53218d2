import { plainMeta, refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { refreshPath, refreshRecord } from '@inventory/contracts/http/refresh';
import { requestId } from '@inventory/contracts/ids';
import type { Scope } from '@inventory/contracts/scope';
import { type RefreshOutcome, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { systemIdentifiers, uuidV5 } from '@inventory/runtime/identifiers';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  expectedOutcomes,
  spreadApp,
} from '../../services/refresh-collector/test/expected-outcomes.ts';
import { readSeries, undescribed } from './support/exposed-metrics.ts';
import { progressOf, untilCompleted } from './support/follow-refresh.ts';
import { type Journey, takeJourney } from './support/journey.ts';
import type { Customer } from './support/operator.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import type { PublicApi } from './support/public-api.ts';
import { expectTruth, readAllPages } from './support/read-current.ts';
import { createSimulatorControl, scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const reserved = 125;
let stack: TestStack;
let truth: TruthReader;

beforeAll(async () => {
  [truth, stack] = await Promise.all([
    openTruthReader(),
    openTestStack({
      // As many as a throttled page is tried, less two: some identity always gets its silence.
      egressIdentities: 4,
      simulator: { SIMULATOR_SLOW_MS: '4000' },
      serviceEnvironment: {
        'refresh-collector': { PLATFORM_TIMEOUT_MS: '3000', SCANS_PER_ACCOUNT_MAX: '64' },
        'revision-store': { MISSING_PAGES_WAIT_MS: '3000' },
      },
    }),
  ]);
  await startJourneys();
});

afterAll(async () => {
  await Promise.allSettled(journeys.values());
  await truth?.close();
  await stack?.close();
});

/** All eight at the same time; each test looks at one. */
const journeys = new Map<RefreshOutcome, Promise<Journey>>();
const serial = 10;

async function startJourneys(): Promise<void> {
  // Held up at one page, so that there is time to do something while they are under way.
  const [cancelled, robbed] = [sizeScope(100_000, serial), sizeScope(10_001, serial)];
  for (const [{ platform_id }, page] of [[cancelled, 20] as const, [robbed, 5] as const]) {
    const fault = { failure: { kind: 'slow' }, platform_id, page, times: 1 };
    await createSimulatorControl(stack.simulatorUrl).fail(fault);
  }
  const scope = (name: string) => scenarioScope(name, serial);
  const start = (outcome: RefreshOutcome, plan: Parameters<typeof takeJourney>[1]) => {
    const journey = takeJourney(stack, plan);
    journey.catch(() => {});
    journeys.set(outcome, journey);
    return journey;
  };
  const changed = start('complete_changed', { scope: scope('size-4001') });
  const again = changed.then(({ customer }) =>
    takeJourney(stack, { customer, scope: scope('size-4001') }),
  );
  again.catch(() => {});
  journeys.set('complete_unchanged', again);
  void start('private', { scope: scope('private') });
  void start('not_found', { scope: scope('not-found') });
  void start('upstream_unavailable', { scope: scope('gateway-503') });
  void start('incomplete', { scope: scope('cursor-cycle') });
  void start('cancelled', {
    scope: cancelled,
    meanwhile: async (refreshId, { api }) => {
      const pages = async () => (await api.status(refreshId)).json.data.state === 'collecting';
      await waitFor('the scan is running', pages);
      expect((await api.cancel(refreshId)).status).toBe(202);
    },
  });
  void start('internal_failure', {
    scope: robbed,
    meanwhile: (refreshId) => loseStagedPage(refreshId),
  });
}

/** What no outside trouble can do: a page that was acknowledged is gone from the store. */
async function loseStagedPage(refreshId: string): Promise<void> {
  const chunks = (await stack.recordsOf('revision-store')).collection('chunks');
  await waitFor(
    'a staged page is there, and lost',
    async () => (await chunks.deleteOne({ scanId: refreshId })).deletedCount === 1,
  );
}

interface Settlement {
  readonly disposition: string;
  readonly charged: number;
}

/** "Settlement by outcome"; 4,001 assets are three started blocks of 2,000. */
const settlements: Readonly<Record<RefreshOutcome, Settlement>> = {
  complete_changed: { disposition: 'finalize_complete', charged: 3 },
  complete_unchanged: { disposition: 'finalize_complete', charged: 3 },
  private: { disposition: 'finalize_diagnostic', charged: 1 },
  not_found: { disposition: 'finalize_diagnostic', charged: 1 },
  upstream_unavailable: { disposition: 'release', charged: 0 },
  incomplete: { disposition: 'release', charged: 0 },
  cancelled: { disposition: 'release', charged: 0 },
  internal_failure: { disposition: 'release', charged: 0 },
};

describe.each(refreshOutcomes)('a refresh that ends as %s', (outcome) => {
  const { disposition, charged } = settlements[outcome];
  const released = reserved - charged;
  let journey: Journey;

  beforeAll(async () => {
    const taken = journeys.get(outcome);
    if (!taken) throw new Error(`nobody took a journey to ${outcome}`);
    journey = await taken;
  });

  test('is accepted with its terms, its address and the time to come back (POST Refresh)', () => {
    const { accepted, refreshId, scope } = journey;
    const record = refreshRecord.strict().parse(accepted.json.data);

    expect(accepted.headers['location']).toBe(refreshPath(refreshId));
    expect(accepted.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
    expect(accepted.headers['idempotency-replayed']).toBeUndefined();
    expect(refreshAcceptanceMeta.strict().parse(accepted.json.meta)).toMatchObject({
      request_id: accepted.headers['x-request-id'],
      product_code: 'platform.inventory.refresh.v1',
      price_version: 1,
      credits_reserved: reserved,
      billing_disposition: 'reserved',
    });
    expect(record).toMatchObject({
      scope,
      completed_at: null,
      deadline_at: expect.any(String),
      outcome: null,
      revision_id: null,
      billing_state: 'reserved',
      billing_disposition: null,
      billing: {
        state: 'reserved',
        disposition: null,
        credits_reserved: reserved,
        credits_charged: null,
        credits_released: null,
      },
    });
    expect(['accepted', 'queued']).toContain(record.state);
  });

  test('is pending with Retry-After and no price until both are known (Refresh status)', () => {
    const pending = journey.seen.slice(0, -1);
    const states = journey.seen.map(({ json }) => progressOf(json.data.state));

    expect(states).toEqual(states.toSorted((left, right) => left - right));
    for (const { headers, json } of pending) {
      expect(headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
      expect(json.data).toMatchObject({
        completed_at: null,
        billing: { credits_charged: null, credits_released: null, disposition: null },
      });
      expect(['reserved', 'pending']).toContain(json.data.billing_state);
      if (json.data.state !== 'settling') expect(json.data.outcome).toBeNull();
    }
  });

  test('ends with its settlement and without Retry-After (Settlement by outcome)', () => {
    const last = journey.seen.at(-1);
    const record = refreshRecord.strict().parse(last?.json.data);

    expect(last?.headers['retry-after']).toBeUndefined();
    expect(plainMeta.strict().parse(last?.json.meta)).toBeDefined();
    expect(record).toMatchObject({
      refresh_id: journey.refreshId,
      state: 'completed',
      outcome,
      deadline_at: null,
      billing_state: 'finalized',
      billing_disposition: disposition,
      billing: {
        state: 'finalized',
        disposition,
        credits_reserved: reserved,
        credits_charged: charged,
        credits_released: released,
      },
    });
    expect(record.completed_at && record.completed_at > record.requested_at).toBe(true);
    expect(record.revision_id !== null).toBe(outcome.startsWith('complete_'));
  });

  test('costs exactly that, booked once (Refresh charge)', () => {
    const { before, after, rows } = journey;

    expect(after).toEqual({
      total: before.total - charged,
      held: before.held,
      available: before.available - charged,
    });
    const moves = rows.map((row) => [row.kind, row.change_available, row.change_held]);
    expect(moves).toEqual([
      ['reserve', -reserved, reserved],
      [charged > 0 ? 'settle' : 'release', released, -reserved],
    ]);
  });

  test("has one event in its Project's log (Events)", () => {
    const [event, ...more] = journey.events;

    expect(more).toEqual([]);
    expect(event).toMatchObject({
      eventId: `evt_${uuidV5(journey.refreshId, 'inventory.refresh.completed')}`,
      projectId: journey.customer.projectId,
      outcome,
      occurredAt: journey.seen.at(-1)?.json.data.completed_at,
    });
  });

  test('is found again under its Idempotency-Key, and nothing is booked again', async () => {
    const { customer, scope, key, refreshId, after } = journey;
    const replay = await customer.api.refresh(scope, { key });
    const conflict = await customer.api.refresh(scope, { key, language: 'german' });

    expect(replay.status).toBe(202);
    expect(replay.headers).toMatchObject({
      location: refreshPath(refreshId),
      'idempotency-replayed': 'true',
    });
    expect(replay.headers['retry-after']).toBeUndefined();
    expect(replay.json.data).toEqual(journey.seen.at(-1)?.json.data);
    expect(replay.json.meta).toMatchObject({ credits_reserved: reserved, price_version: 1 });
    expect([conflict.status, conflict.json.error.code]).toEqual([409, 'idempotency_conflict']);
    if (outcome !== 'complete_changed') {
      expect(await stack.operator.balance(customer.accountId)).toEqual(after);
    }
  });

  test('has a request id of its own on every answer (X-Request-ID)', () => {
    const answers = [journey.accepted, ...journey.seen];
    const ids = answers.map(({ headers }) => requestId.parse(headers['x-request-id']));

    expect(new Set(ids).size).toBe(answers.length);
    expect(answers.map(({ json }) => json.meta.request_id)).toEqual(ids);
  });
});

function scopeOf(scenario: string, place: number): Scope {
  const scope = scenarioScope(scenario, serial + 1);
  return { ...scope, app_id: spreadApp(place, scope.app_id) };
}

describe('every scenario account of the platform (upstream 5)', () => {
  let customer: Customer;
  const refreshIds: string[] = [];
  const scopes = expectedOutcomes.map(([scenario], place) => scopeOf(scenario, place));

  beforeAll(async () => {
    await Promise.allSettled(journeys.values());
    customer = await stack.operator.newCustomer();
    const ids = await Promise.all(scopes.map((scope) => customer.api.accepted(scope)));
    refreshIds.push(...ids);
    await untilCompleted(customer.api, customer.projectId, ids);
  });

  const cases = expectedOutcomes.map(([scenario, outcome], place) => ({
    scenario,
    outcome,
    place,
  }));
  const scopeAt = (place: number) => scopes[place] ?? scenarioScope('empty');
  const recordAt = (place: number) => customer.api.record(refreshIds[place] ?? '');

  test.each(cases.filter(({ outcome }) => outcome === 'complete_changed'))(
    '$scenario is paid by its assets, and Current is exactly what the platform holds',
    async ({ place }) => {
      const record = await recordAt(place);
      const expected = await truth.of(scopeAt(place));
      const pages = await readAllPages(customer.api, scopeAt(place));

      expect(record.outcome).toBe('complete_changed');
      expect(record.billing.credits_charged).toBe(Math.ceil(expected.assets.length / 2_000));
      expectTruth(pages, expected);
      expect(pages[0]?.page.revision_id).toBe(record.revision_id);
    },
  );

  test.each(cases.filter(({ outcome }) => outcome !== 'complete_changed'))(
    '$scenario ends as $outcome, settled so, and saves nothing that Current could read',
    async ({ outcome, place }) => {
      const { charged, disposition } = settlements[outcome];
      const record = await recordAt(place);
      const current = await customer.api.current(scopeAt(place));

      expect(record.outcome).toBe(outcome);
      expect(record.billing).toMatchObject({ credits_charged: charged, disposition });
      expect([current.status, current.json.error.code]).toEqual([
        404,
        'inventory_revision_not_found',
      ]);
      expect(current.json.meta).toMatchObject({
        credits_charged: 0,
        billing_disposition: 'not_charged',
        billing_reason: 'no_revision',
      });
    },
  );

  test('the simulator counts as many assets as Current gives', async () => {
    const control = createSimulatorControl(stack.simulatorUrl);
    for (const scenario of ['empty', 'size-2001', 'some-hidden', 'all-hidden', 'stacks']) {
      const scope = scenarioScope(scenario, serial + 1);
      const held = await control.call(
        'GET',
        `/inventories/${scope.platform_id}/${scope.app_id}/${scope.context_id}`,
      );
      const pages = await readAllPages(customer.api, scope, { pageSize: 1_500 });
      expectTruth(pages, await truth.of(scope), 1_500);
      expect(pages[0]?.page).toMatchObject({
        total_count: held.assets,
        reported_total_count: held.total_inventory_count,
      });
    }
  });

  test('what all of them cost is what the account paid (conservation)', async () => {
    const { accountId, projectId } = customer;
    const rows = await stack.operator.statement(accountId);
    const balance = await stack.operator.balance(accountId);
    const change = rows.reduce((sum, row) => sum + row.change_available + row.change_held, 0);

    expect(rows.filter(({ kind }) => kind === 'reserve')).toHaveLength(refreshIds.length);
    expect(rows.filter(({ kind }) => /^(settle|release)$/.test(kind))).toHaveLength(
      refreshIds.length,
    );
    expect(balance).toEqual({ total: change, held: 0, available: change });
    expect(await stack.operator.openHolds(accountId)).toEqual([]);
    const listed = await customer.api.list(projectId, '?limit=100');
    expect(listed.json.data.items).toHaveLength(refreshIds.length);
    expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
  });
});

describe('an inventory that is refreshed again', () => {
  async function refreshed(customer: Customer, scope: Scope, language = 'english') {
    const refreshId = await customer.api.accepted(scope, { language });
    await untilCompleted(customer.api, customer.projectId, [refreshId]);
    return customer.api.record(refreshId);
  }

  test('is unchanged in another language, whose texts it gains (Unchanged)', async () => {
    const customer = await stack.operator.newCustomer();
    const scope = scenarioScope('different-language', serial);
    const first = await refreshed(customer, scope);
    const [before] = await readAllPages(customer.api, scope, { language: 'german' });
    const second = await refreshed(customer, scope, 'german');

    expect(before?.answer.headers['x-description-language']).toBe('english');
    expect(second.outcome).toBe('complete_unchanged');
    expect(second.revision_id).toBe(first.revision_id);
    for (const [language, tag] of [
      ['german', 'de'],
      ['english', 'en'],
    ] as const) {
      const pages = await readAllPages(customer.api, scope, { language });
      expectTruth(pages, await truth.of(scope, language));
      expect(pages[0]?.answer.headers).toMatchObject({
        'x-description-language': language,
        'content-language': tag,
      });
      expect(pages[0]?.page.observation_id).not.toBe(before?.page.observation_id);
    }
  });

  test('is unchanged by new texts, and changed by one more asset (Unchanged)', async () => {
    const customer = await stack.operator.newCustomer();
    const texts = scenarioScope('texts-change', serial);
    const more = scenarioScope('one-more-each-scan', serial);

    const [firstTexts, firstMore] = await Promise.all([
      refreshed(customer, texts),
      refreshed(customer, more),
    ]);
    const [secondTexts, secondMore] = await Promise.all([
      refreshed(customer, texts),
      refreshed(customer, more),
    ]);

    expect(secondTexts.outcome).toBe('complete_unchanged');
    expect(secondTexts.revision_id).toBe(firstTexts.revision_id);
    expect(secondMore.outcome).toBe('complete_changed');
    expect(secondMore.revision_id).not.toBe(firstMore.revision_id);
    const [page] = await readAllPages(customer.api, more);
    expect(page?.page.total_count).toBe(101);
  });

  test('keeps its head through a later private outcome (Reads)', async () => {
    const customer = await stack.operator.newCustomer();
    const scope = sizeScope(30, serial);
    const first = await refreshed(customer, scope);
    const control = createSimulatorControl(stack.simulatorUrl);
    await control.call('PATCH', `/accounts/${scope.platform_id}`, { private: true });
    const second = await refreshed(customer, scope);

    expect(second).toMatchObject({ outcome: 'private', revision_id: null });
    const [page] = await readAllPages(customer.api, scope);
    expect(page?.page.revision_id).toBe(first.revision_id);
  });
});

test('250,001 assets cost the whole reservation and no credit more (Refresh charge)', async () => {
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

/** Series of one service after all these stories; a few hundred more are its known errors. */
const seriesMax = 2_500;

describe('the metrics of a product that all this happened to', () => {
  beforeAll(async () => {
    await Promise.all(journeys.values());
  });

  test('are described, and every label has one of its known values, never an id', async () => {
    const customers = await Promise.all(Array.from({ length: 5 }, stack.operator.newCustomer));
    await Promise.all(customers.map(({ api }) => askStrangely(api)));

    for (const service of stack.services) {
      const series = await readSeries(service);
      expect([service.label, undescribed(series)]).toEqual([service.label, []]);
      expect([service.label, series.length < seriesMax]).toEqual([service.label, true]);
    }
  });

  test('grow with what is asked, not with who asks for what', async () => {
    const shown = async () => {
      const series = await readSeries(stack.service('gateway'));
      const requests = series.filter(({ name }) => name === 'http_server_request_duration_count');
      return new Set(requests.map(({ labels }) => JSON.stringify(labels)));
    };
    await askStrangely((await stack.operator.newCustomer()).api);
    const before = await shown();
    for (let others = 0; others < 5; others += 1) {
      await askStrangely((await stack.operator.newCustomer()).api);
    }

    expect([...(await shown())].filter((labels) => !before.has(labels))).toEqual([]);
    expect(before.size).toBeGreaterThan(8);
  });
});

/** The same questions of everybody: each with ids, keys and paths that nobody used before. */
async function askStrangely(api: PublicApi): Promise<void> {
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
