import {
  type LivePageMeta,
  livePageMeta,
  livePageMetaHeader,
  timeLeftHeader,
} from '@inventory/contracts/internal/live-page';
import {
  scenarioInventory,
  scenarioNames,
  sizeInventory,
} from '@inventory/platform-simulator/scenarios';
import { newAccountId } from '@inventory/testkit/builders';
import {
  type Collector,
  type CollectorHarness,
  identitiesOf,
  openCollectorHarness,
} from './collector-harness.ts';

let harness: CollectorHarness;
let collector: Collector;

beforeAll(async () => {
  harness = await openCollectorHarness({ latency: { fixedMs: 0, slowMs: 2_500 } });
  collector = await harness.startCollector();
});
afterAll(() => harness.close());

interface LiveAnswer {
  readonly status: number;
  readonly meta: LivePageMeta | null;
  // biome-ignore lint/suspicious/noExplicitAny: the platform's rows, read as they come
  readonly page: any;
  readonly code: string | undefined;
  readonly retryAfter: number | null | undefined;
}

async function read(
  inventory: { platformId: string; appId: number; contextId: number },
  options: {
    start?: string | null;
    form?: 'v1' | 'v2';
    timeLeftMs?: number;
    at?: { url: string };
    accountId?: string;
  } = {},
): Promise<LiveAnswer> {
  const { platformId, appId, contextId } = inventory;
  const query = new URLSearchParams({
    account_id: options.accountId ?? newAccountId(),
    language: 'english',
    form: options.form ?? 'v2',
    count: '2000',
    ...(options.start ? { start_assetid: options.start } : {}),
  });
  const { url } = options.at ?? collector;
  const response = await fetch(
    `${url}/inventories/${platformId}/${appId}/${contextId}/live-page?${query}`,
    { headers: { [timeLeftHeader]: String(options.timeLeftMs ?? 15_000) } },
  );
  const text = await response.text();
  const meta = response.headers.get(livePageMetaHeader);
  const parsed = JSON.parse(response.status === 200 ? `{${text}}` : text);
  return {
    status: response.status,
    meta: meta === null ? null : livePageMeta.parse(JSON.parse(meta)),
    page: parsed,
    code: parsed.error?.code,
    retryAfter: parsed.error?.retry_after_seconds,
  };
}

async function control(method: string, path: string, body?: unknown): Promise<void> {
  const response = await fetch(`${harness.simulator.url}/control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/** What the first live page of a scenario account ends as, where it is no page. */
const firstPageRefusals: Readonly<Record<string, string>> = {
  private: 'private',
  'private-401': 'private',
  'not-found': 'not_found',
  'not-found-html': 'not_found',
  'unknown-app': 'not_found',
  'eresult-42': 'not_found',
  'bad-request': 'bad_answer',
  'eresult-77': 'bad_answer',
  'eresult-55': 'bad_answer',
  'null-200': 'bad_answer',
  'html-200': 'bad_answer',
  'old-refusal': 'bad_answer',
  unsuccessful: 'bad_answer',
  'fake-redirect': 'bad_answer',
  'truncated-json': 'bad_answer',
  'gateway-503': 'bad_answer',
  slow: 'timeout',
  'cursor-missing': 'bad_answer',
};

describe('the first live page of every scenario account', () => {
  it.each(scenarioNames.map((name) => [name, firstPageRefusals[name] ?? 'page'] as const))(
    '%s is answered with %s (Live Page)',
    async (name, expected) => {
      const answer = await read(scenarioInventory(name, 800));

      expect(answer.code ?? 'page').toBe(expected);
    },
  );
});

describe('a chain of live pages', () => {
  it('gives 4,001 assets once each, in the order of the platform, and then ends', async () => {
    const inventory = sizeInventory(4_001, 801);
    const ids: string[] = [];
    let start: string | null = null;
    do {
      const answer: LiveAnswer = await read(inventory, { start });
      expect(answer.meta?.total_count).toBe(4_001);
      expect(answer.meta?.asset_count).toBe(answer.page.assets.length);
      ids.push(...answer.page.assets.map(({ assetid }: { assetid: string }) => assetid));
      start = answer.meta?.next_start_assetid ?? null;
    } while (start !== null);

    expect(ids).toHaveLength(4_001);
    expect(new Set(ids).size).toBe(4_001);
  });

  it('ends as private in the middle only when the first page is private too', async () => {
    const inventory = scenarioInventory('becomes-private-at-page-2', 802);
    const first = await read(inventory);
    const start = first.meta?.next_start_assetid ?? null;
    expect((await read(inventory, { start })).code).toBe('private');

    const other = scenarioInventory('private-at-page-2-only', 802);
    const public1 = await read(other);
    const denied = await read(other, { start: public1.meta?.next_start_assetid ?? null });
    expect(denied.code).toBe('unconfirmed');
  });
});

it('leaves the properties of assets out of the V1 form, and only those', async () => {
  const inventory = sizeInventory(50, 803);
  const [current, first] = [await read(inventory), await read(inventory, { form: 'v1' })];

  const has = (page: { assets: Record<string, unknown>[] }) =>
    page.assets.filter((asset) => 'asset_properties' in asset).length;
  expect(has(current.page)).toBeGreaterThan(0);
  expect(has(first.page)).toBe(0);
  const without = current.page.assets.map(
    ({ asset_properties: _left, ...asset }: Record<string, unknown>) => asset,
  );
  expect(first.page.assets).toEqual(without);
  expect(first.page.descriptions).toEqual(current.page.descriptions);
});

describe('what stands between a client and the platform', () => {
  it('an address that is blocked is no private inventory: another identity is asked', async () => {
    const blocked = await openCollectorHarness();
    try {
      const started = await blocked.startCollector({
        platform: { egress: identitiesOf(blocked.simulator, 2) },
      });
      await fetch(`${blocked.simulator.url}/control/identities/egress-1`, {
        method: 'PUT',
        body: JSON.stringify({ mode: 'block_page' }),
        headers: { 'content-type': 'application/json' },
      });

      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, serial) =>
          read(sizeInventory(3, 810 + serial), { at: started }),
        ),
      );

      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    } finally {
      await blocked.close();
    }
  });

  it('throttled on every identity is said as such, with a time to wait', async () => {
    const inventory = sizeInventory(7, 820);
    await control('POST', '/faults', {
      failure: { kind: 'throttled' },
      platform_id: inventory.platformId,
    });

    const answer = await read(inventory, { timeLeftMs: 3_000 });

    expect([answer.status, answer.code]).toEqual([409, 'throttled']);
    expect(answer.retryAfter).toBeGreaterThanOrEqual(1);
  });

  it('two replicas keep the rate of the identities together, and are never throttled', async () => {
    const limited = await openCollectorHarness({
      latency: { fixedMs: 50 },
      // Twice what we allow ourselves, as with the real platform.
      limits: { windowSeconds: 6, slots: 6, blockSeconds: 6, countMax: 2_000 },
    });
    try {
      const paced = {
        identities: {
          requestsPerMinute: 30,
          burst: 2,
          silenceFirstMs: 90_000,
          silenceMaxMs: 90_000,
        },
      };
      const replicas = [await limited.startCollector(paced), await limited.startCollector(paced)];

      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, serial) => {
          const at = replicas[serial % 2];
          return read(sizeInventory(2, 860 + serial), { timeLeftMs: 20_000, ...(at && { at }) });
        }),
      );

      expect(answers.map(({ code }) => code ?? 'page')).toEqual(Array(30).fill('page'));
      const counters = await fetch(`${limited.simulator.url}/control/counters`);
      const { total, identities } = (await counters.json()) as {
        total: { throttled: number };
        identities: Record<string, { in_flight_max: number }>;
      };
      expect(total.throttled).toBe(0);
      const most = Object.values(identities).map((identity) => identity.in_flight_max);
      expect(most).toEqual(Array(4).fill(1));
    } finally {
      await limited.close();
    }
  });

  it('one account cannot take every seat of a replica', async () => {
    const narrow = await openCollectorHarness({ latency: { fixedMs: 700 } });
    try {
      const started = await narrow.startCollector({
        live: { seatsMax: 4, perAccountMax: 2 },
      });
      const greedy = newAccountId();
      const greedyReads = Array.from({ length: 4 }, (_, serial) =>
        read(sizeInventory(2, 830 + serial), { at: started, accountId: greedy }),
      );
      const other = read(sizeInventory(2, 840), { at: started });

      const codes = (await Promise.all(greedyReads)).map(({ code }) => code ?? 'page');
      expect(codes.toSorted()).toEqual(['egress_busy', 'egress_busy', 'page', 'page']);
      expect((await other).status).toBe(200);
    } finally {
      await narrow.close();
    }
  });
});

it.each([
  ['an account that is none', { account_id: 'me' }, '15000'],
  ['a language the platform does not have', { language: 'klingon' }, '15000'],
  ['a start that is no asset id', { start_assetid: '12a' }, '15000'],
  ['more assets than a page has', { count: '2001' }, '15000'],
  ['no time limit', {}, ''],
  ['more time than is waited', {}, '20001'],
])('a call with %s is refused as invalid', async (_what, change, time) => {
  const { platformId, appId, contextId } = sizeInventory(1, 850);
  const query = new URLSearchParams({
    account_id: newAccountId(),
    language: 'english',
    form: 'v2',
    count: '2000',
    ...change,
  });
  const path = `/inventories/${platformId}/${appId}/${contextId}/live-page?${query}`;

  const response = await fetch(collector.url + path, { headers: { [timeLeftHeader]: time } });

  expect(response.status).toBe(422);
});
