import { type Environment, environments } from '@inventory/contracts/environment';
import { plainMeta, refreshAcceptanceMeta } from '@inventory/contracts/http/meta';
import { refreshLink, refreshRecord, refreshStatus } from '@inventory/contracts/http/refresh';
import { requestId } from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { type RefreshOutcome, refreshOutcomes } from '@inventory/contracts/vocabulary';
import { uuidV5 } from '@inventory/runtime/identifiers';
import { asSent } from '@inventory/testkit/as-sent';
import { waitFor } from '@inventory/testkit/wait-for';
import { expectedOutcomes } from '../../services/refresh-collector/test/expected-outcomes.ts';
import { progressOf, untilCompleted } from './support/follow-refresh.ts';
import { type Journey, type JourneyPlan, takeJourney } from './support/journey.ts';
import type { Customer } from './support/operator.ts';
import { settlements, testOutcomeScenarios } from './support/outcome-scenarios.ts';
import { openTruthReader, type TruthReader } from './support/platform-truth.ts';
import { expectTruth, readAllPages } from './support/read-current.ts';
import { openSharedStack } from './support/shared-stack.ts';
import {
  createSimulatorControl,
  inEnvironment,
  scenarioScope,
  sizeScope,
} from './support/simulator-control.ts';
import { withoutIdentity } from './support/without-identity.ts';

const reserved = 125;
const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
let truth: TruthReader;

beforeAll(async () => {
  truth = await openTruthReader();
  await Promise.all(environments.map(startJourneys));
});

afterAll(async () => {
  await Promise.allSettled(environments.flatMap((one) => [...journeys[one].values()]));
  await truth?.close();
  await stack.close();
});

/** All eight of each environment at the same time; each test reads one. */
const journeys = { live: new Map(), sandbox: new Map() } satisfies Record<
  Environment,
  Map<RefreshOutcome, Promise<Journey>>
>;
const serial = 130_000;

async function startJourneys(environment: Environment): Promise<void> {
  const scopeOf = (scope: InventoryKey) => inEnvironment(environment, scope);
  const cancelled = scopeOf(sizeScope(4_001, serial));
  const robbed = scopeOf(sizeScope(10_001, serial));
  await platform.holdLaterPages(cancelled);
  await platform.holdLaterPages(robbed);
  const scope = (name: string) => scopeOf(scenarioScope(name, serial));
  const start = (outcome: RefreshOutcome, plan: JourneyPlan) => {
    const journey = takeJourney(stack, { environment, ...plan });
    journey.catch(() => {});
    journeys[environment].set(outcome, journey);
    return journey;
  };
  const changed = start('complete_changed', { scope: scope('size-4001') });
  const again = changed.then(({ customer }) =>
    takeJourney(stack, { customer, scope: scope('size-4001') }),
  );
  again.catch(() => {});
  journeys[environment].set('complete_unchanged', again);
  void start('private', { scope: scope('private') });
  void start('not_found', { scope: scope('not-found') });
  void start('upstream_unavailable', { scope: scope('gateway-503') });
  void start('incomplete', { scope: scope('cursor-cycle') });
  void start('cancelled', {
    scope: cancelled,
    meanwhile: async (refreshId, { api }) => {
      await waitFor('the scan is running and its completion is expected', async () => {
        const { data } = (await api.status(refreshId)).json;
        return data.state === 'collecting' && data.expected_completed_at !== null;
      });
      expect((await api.cancel(refreshId)).status).toBe(202);
      await platform.release(cancelled);
    },
  });
  void start('internal_failure', {
    scope: robbed,
    meanwhile: (refreshId) => loseStagedPage(refreshId, robbed),
  });
}

/** What no outside trouble can do: a page that was acknowledged is gone from the store. */
async function loseStagedPage(refreshId: string, scope: InventoryKey): Promise<void> {
  const chunks = (await stack.recordsOf('revision-store')).collection('chunks');
  await waitFor(
    'a staged page is there, and lost',
    async () => (await chunks.deleteOne({ scanId: refreshId })).deletedCount === 1,
  );
  await platform.release(scope);
}

const ofBoth = environments.flatMap((environment) =>
  refreshOutcomes.map((outcome) => ({ environment, outcome })),
);

describe.each(ofBoth)(
  'a $environment refresh that ends as $outcome',
  ({ environment, outcome }) => {
    const { disposition, charged } = settlements[outcome];
    const released = reserved - charged;
    let journey: Journey;

    beforeAll(async () => {
      const taken = journeys[environment].get(outcome);
      if (!taken) throw new Error(`no customer took a journey to ${outcome}`);
      journey = await taken;
    });

    test('is accepted with its terms, its address and the time to come back (POST Refresh) [post-refresh]', () => {
      const { accepted, refreshId, scope } = journey;
      const record = asSent(refreshRecord, accepted.json.data);

      expect(accepted.headers['location']).toBe(refreshLink(refreshId));
      expect(accepted.headers['retry-after']).toMatch(/^([1-9]|[1-5][0-9]|60)$/);
      expect(accepted.headers['idempotency-replayed']).toBeUndefined();
      expect(asSent(refreshAcceptanceMeta, accepted.json.meta)).toMatchObject({
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

    test('is pending with Retry-After, an expected completion and no price until both are known (Refresh status) [refresh-status]', () => {
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
        asSent(refreshStatus, json.data);
      }
    });

    test('ends with its settlement and without Retry-After (Settlement by outcome) [polling]', () => {
      const last = journey.seen.at(-1);
      const record = asSent(refreshStatus, last?.json.data);

      expect(last?.headers['retry-after']).toBeUndefined();
      expect(asSent(plainMeta, last?.json.meta)).toBeDefined();
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

    test('costs exactly that, booked once (Refresh charge) [refresh-charge]', () => {
      const { before, after, rows } = journey;

      expect(after).toEqual({
        total: before.total - charged,
        held: before.held,
        available: before.available - charged,
      });
      const moves = rows.map((row) => [row.kind, row.changeAvailable, row.changeHeld]);
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
        location: refreshLink(refreshId),
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

    test('has a request id of its own on every answer (X-Request-ID) [request-id]', () => {
      const responses = [journey.accepted, ...journey.seen];
      const ids = responses.map(({ headers }) => requestId.parse(headers['x-request-id']));

      expect(new Set(ids).size).toBe(responses.length);
      expect(responses.map(({ json }) => json.meta.request_id)).toEqual(ids);
    });
  },
);

test.each(refreshOutcomes)(
  'a sandbox refresh that ends as %s is answered as a live one but for its environment (Sandbox) [sandbox]',
  async (outcome) => {
    const [live, twin] = await Promise.all(
      environments.map(async (environment) => {
        const journey = await journeys[environment].get(outcome);
        const answers = [journey?.accepted, journey?.seen.at(-1)];
        for (const answer of answers) expect(answer?.json.meta.environment).toBe(environment);
        const { events, rows } = journey ?? {};
        return withoutIdentity([answers.map((answer) => answer?.json), events, rows]);
      }),
    );
    expect(twin).toEqual(live);
  },
);

/** Of those that do not end as a complete inventory, one of each kind. */
const failing = ['private', 'not-found', 'unknown-app', 'null-200', 'cursor-missing'];
const withoutWaiting = expectedOutcomes.filter(
  ([scenario, outcome]) =>
    failing.includes(scenario) || (outcome === 'complete_changed' && scenario !== 'slow-once'),
);

describe('scenario accounts of the platform (upstream 5)', () => {
  testOutcomeScenarios({
    stack: () => stack,
    truth: () => truth,
    serial: serial + 1,
    outcomes: withoutWaiting,
  });
});

describe('an inventory that is refreshed again', () => {
  async function refreshed(customer: Customer, scope: InventoryKey, language = 'english') {
    const refreshId = await customer.api.accepted(scope, { language });
    await untilCompleted(customer.api, customer.projectId, [refreshId]);
    return customer.api.record(refreshId);
  }

  test('is unchanged in another language, whose texts it gains (Unchanged) [unchanged, another-language]', async () => {
    const customer = await stack.operator.newCustomer();
    const scope = scenarioScope('different-language', serial);
    const first = await refreshed(customer, scope);
    const [before] = await readAllPages(customer.api, scope, { language: 'german' });
    const second = await refreshed(customer, scope, 'german');

    expect(before?.response.headers['x-description-language']).toBe('english');
    expect(second.outcome).toBe('complete_unchanged');
    expect(second.revision_id).toBe(first.revision_id);
    for (const [language, tag] of [
      ['german', 'de'],
      ['english', 'en'],
    ] as const) {
      const pages = await readAllPages(customer.api, scope, { language });
      expectTruth(pages, await truth.of(scope, language));
      expect(pages[0]?.response.headers).toMatchObject({
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
    await platform.call('PATCH', `/accounts/${scope.platform_id}`, { private: true });
    const second = await refreshed(customer, scope);

    expect(second).toMatchObject({ outcome: 'private', revision_id: null });
    const [page] = await readAllPages(customer.api, scope);
    expect(page?.page.revision_id).toBe(first.revision_id);
  });
});
