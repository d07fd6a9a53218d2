import { request } from 'node:http';
import { errorBody } from '@inventory/contracts/http/error-body';
import { livePage } from '@inventory/contracts/http/live-page';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { clock, gateway, world } from './support/clocked-gateway.ts';
import { noPage, setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { currentPathOf, livePathOf, refreshPathOf } from './support/paths.ts';
import { patientLivePages } from './support/patience.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

const read = (
  scope: InventoryKey,
  key: string,
  query = '',
  headers = {},
  at: TestGateway = gateway,
) => at.call({ path: livePathOf(scope) + query, key, headers });

const intentsLeft = () => world.records.collection('page_intents').countDocuments();

const chargesOf = (accountId: string) =>
  world.ledger.charges.filter((command) => command.accountId === accountId);

const requestedOf = (scope: InventoryKey) =>
  world.collector.live.asked.filter(({ pathname }) => pathname.includes(scope.platform_id));

const threePages = [membersText('1'), membersText('2'), membersText('3')];

test('a page of the platform comes with its bill and its language (Live Page)', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  setLiveInventory(world.collector.live, scope, { pages: [membersText('18446744073709551615')] });
  world.ledger.setBalance(principal.accountId, 50);

  const response = await read(scope, key, '?language=schinese');

  expect(response.status).toBe(200);
  const page = asSent(livePage, response.json.data);
  expect(page.assets[0]?.assetid).toBe('18446744073709551615');
  expect(page.pagination).toEqual({ has_more: false });
  expect(asSent(pageReadMeta, response.json.meta)).toMatchObject({
    product_code: 'platform.inventory.page.v1',
    price_version: 1,
    credits_charged: 1,
    credits_remaining: 49,
    billing_disposition: 'charged',
    billing_reason: null,
  });
  expect(response.headers['content-language']).toBe('zh-Hans');
  expect(response.headers['x-description-language']).toBe('schinese');
  const [asked] = requestedOf(scope);
  expect(asked?.searchParams.get('language')).toBe('schinese');
  expect(asked?.searchParams.get('account_id')).toBe(principal.accountId);
  await waitFor('no intent is left', async () => (await intentsLeft()) === 0);
});

test.each([
  ['private', 403, 'inventory_private', 'private_confirmed'],
  ['not_found', 404, 'inventory_not_found', 'not_found_confirmed'],
] as const)(
  'confirmed %s is answered with %i %s and charged like a page (Live Page rule 1) [empty-private-unavailable, live-page-rule-1, inventory-private-inventory-not-found, confirmation]',
  async (found, status, code, reason) => {
    const { key, principal } = world.issue();
    world.collector.live.respondInstead = () => noPage(found);
    world.ledger.setBalance(principal.accountId, 9);

    const response = await read(newScope(), key);

    expect(response.status).toBe(status);
    const body = asSent(errorBody, response.json);
    expect(body.error.code).toBe(code);
    expect(body.meta).toMatchObject({
      price_version: 1,
      credits_charged: 1,
      credits_remaining: 8,
      billing_disposition: 'charged',
      billing_reason: reason,
    });
    expect(world.ledger.balanceOf(principal.accountId)).toBe(8);
    await waitFor('its intent is gone', async () => (await intentsLeft()) === 0);
  },
);

test.each([
  ['throttled', 502, 'upstream_unavailable', 'throttled'],
  ['egress_busy', 502, 'upstream_unavailable', 'egress_busy'],
  ['breaker_open', 502, 'upstream_unavailable', 'breaker_open'],
  ['bad_answer', 502, 'upstream_unavailable', 'bad_answer'],
  ['unconfirmed', 502, 'upstream_unavailable', 'unconfirmed'],
  ['timeout', 504, 'upstream_timeout', undefined],
] as const)(
  '%s is answered with %i %s, a time to wait, and nothing charged (Errors) [upstream-unavailable-upstream-timeout]',
  async (trouble, status, code, reason) => {
    const { key, principal } = world.issue();
    world.collector.live.respondInstead = () => noPage(trouble, 17);

    const response = await read(newScope(), key);

    expect([response.status, response.json.error.code]).toEqual([status, code]);
    expect(response.json.error.detail?.reason).toBe(reason);
    expect(response.headers['retry-after']).toBe('17');
    expect(response.json.meta).toMatchObject({
      credits_charged: 0,
      billing_disposition: 'not_charged',
    });
    expect(chargesOf(principal.accountId)).toEqual([]);
  },
);

test('more reads at a time than an account may have are 429 with the limit, and nothing is charged (Errors) [rate-limit]', async () => {
  const { key, principal } = world.issue();
  world.collector.live.respondInstead = () => noPage('concurrency_limit', 4);

  const response = await read(newScope(), key);

  expect([response.status, response.json.error.code]).toEqual([429, 'rate_limit_exceeded']);
  expect(response.json.error.detail).toEqual({ limit: 'concurrency', reads_max: 2 });
  expect(response.headers['retry-after']).toBe('4');
  expect(response.json.meta).toMatchObject({ credits_charged: 0 });
  expect(chargesOf(principal.accountId)).toEqual([]);
});

test('pages that take long delay no Status, list, account or Current, and past their limits are refused at once (Errors) [rate-limit, service-unavailable]', async () => {
  const { perKeyMax, totalMax } = patientLivePages.limits;
  const [slow, other, third] = [world.issue(), world.issue(), world.issue()];
  const scope = newScope();
  setLiveInventory(world.collector.live, scope, { pages: threePages });
  saveInventory(world.revisions, scope, { pages: [membersText('1')] });
  const post = { method: 'POST', path: refreshPathOf(scope), body: { max_credits: 125 } };
  const { headers } = await gateway.call({ ...post, key: third.key });
  const gate = Promise.withResolvers<void>();
  world.collector.live.respondInstead = async () => {
    await gate.promise;
    return null;
  };
  const readMany = (key: string, count: number) =>
    Array.from({ length: count }, () => read(scope, key));

  const pages = readMany(slow.key, perKeyMax + 5);
  await waitFor('the account has its pages', () => requestedOf(scope).length === perKeyMax);
  pages.push(...readMany(other.key, totalMax - perKeyMax));
  await waitFor('all pages are in use', () => requestedOf(scope).length === totalMax);
  const shed = await read(scope, third.key);
  const reads = await Promise.all(
    [
      headers.location ?? '',
      `/v2/projects/${third.principal.projectId}/inventory-refreshes`,
      '/v2/account',
      currentPathOf(scope),
    ].map((path) => gateway.call({ path, key: third.key })),
  );
  gate.resolve();

  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect([shed.status, shed.json.error.code]).toEqual([503, 'service_unavailable']);
  const refused = (await Promise.all(pages)).filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(5);
  for (const { status, json } of refused) {
    expect([status, json.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(json.error.detail).toEqual({ limit: 'concurrency', reads_max: perKeyMax });
  }
  expect((await read(scope, slow.key)).status).toBe(200);
});

describe('funds', () => {
  test('are checked before the platform is contacted: without them 402 [insufficient-credits-insufficient-units]', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    world.ledger.setBalance(principal.accountId, 0);

    const response = await read(scope, key);

    expect([response.status, response.json.error.code]).toEqual([402, 'insufficient_credits']);
    expect(response.json.error.detail).toEqual({ required: 1, available: 0 });
    const before = requestedOf(scope).length;
    await read(scope, key);
    expect(requestedOf(scope)).toHaveLength(before);
    expect(chargesOf(principal.accountId)).toEqual([]);
  });

  test('that cannot be read are 503 billing_unavailable, and the platform is spared [billing-unavailable]', async () => {
    const { key } = world.issue();
    const scope = newScope();
    world.ledger.http.isDown = true;

    const response = await read(scope, key);

    expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
    expect(response.headers['retry-after']).toBeDefined();
    expect(requestedOf(scope)).toEqual([]);
  });

  test('that go while the platform is asked are refused by the charge: no page', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: [membersText('1')] });
    world.ledger.setBalance(principal.accountId, 1);
    world.collector.live.respondInstead = () => {
      world.ledger.setBalance(principal.accountId, 0);
      return null;
    };

    const response = await read(scope, key);

    expect([response.status, response.json.error.code]).toEqual([402, 'insufficient_credits']);
    expect(response.text).not.toContain('assetid');
  });
});

test('a ledger that does not answer in time is 503, and the charge is undone [billing-unavailable, service-unavailable]', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  setLiveInventory(world.collector.live, scope, { pages: [membersText('1')] });
  world.ledger.decidesCharge = () => false;
  world.ledger.setBalance(principal.accountId, 5);
  const answering = read(scope, key);
  await waitFor('the charge is booked', () => world.ledger.balanceOf(principal.accountId) === 4);
  gateway.cutReplies();

  const response = await answering;

  expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
  await waitFor('the charge is undone', async () => (await intentsLeft()) === 0);
  expect(world.ledger.balanceOf(principal.accountId)).toBe(5);
});

test('an unavailable collector is 503, and nothing is charged', async () => {
  const { key, principal } = world.issue();
  world.collector.http.isDown = true;

  const response = await read(newScope(), key);

  expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(response.headers['retry-after']).toBeDefined();
  expect(chargesOf(principal.accountId)).toEqual([]);
  await waitFor('no intent is left', async () => (await intentsLeft()) === 0);
});

describe('a chain of pages', () => {
  test('goes from cursor to cursor to a last page that has none', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: threePages, totalCount: 5_001 });

    const ids: string[] = [];
    let query = '';
    for (;;) {
      const response = await read(scope, key, query);
      const page = asSent(livePage, response.json.data);
      expect(page.total_count).toBe(5_001);
      ids.push(...page.assets.map(({ assetid }) => assetid));
      if (page.pagination.next_cursor === undefined) break;
      query = `?cursor=${page.pagination.next_cursor}`;
    }

    expect(ids).toEqual(['1', '2', '3']);
    const charges = chargesOf(principal.accountId);
    expect(charges.map(({ productCode }) => productCode)).toEqual(
      Array(3).fill('platform.inventory.page.v1'),
    );
  });

  test('continues at another replica', async () => {
    const { key } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: threePages });
    const other = await startTestGateway(world);
    const first = await read(scope, key);

    const second = await read(
      scope,
      key,
      `?cursor=${first.json.data.pagination.next_cursor}`,
      {},
      other,
    );

    expect(second.json.data.assets[0].assetid).toBe('2');
    await other.stop();
  });

  test('refuses the cursor of another account, scope, language or route (Live Page rule 2) [live-page-rule-2]', async () => {
    const { key, principal } = world.issue();
    const stranger = world.issue();
    const colleague = world.issue({ accountId: principal.accountId });
    const scope = newScope();
    const other = { ...scope, context_id: 6 };
    setLiveInventory(world.collector.live, scope, { pages: threePages });
    setLiveInventory(world.collector.live, other, { pages: threePages });
    const cursor = (await read(scope, key)).json.data.pagination.next_cursor;
    const before = world.ledger.charges.length;

    const responses = [
      await read(scope, stranger.key, `?cursor=${cursor}`),
      await read(other, key, `?cursor=${cursor}`),
      await read(scope, key, `?cursor=${cursor}&language=german`),
      await gateway.call({ path: `${livePathOf(scope)}/current?cursor=${cursor}`, key }),
      await read(scope, key, `?cursor=${cursor.slice(0, -2)}`),
      await read(scope, key, `?cursor=${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'B' : 'A'}`),
    ];

    expect(responses.map(({ json }) => json.error.code)).toEqual(Array(6).fill('invalid_cursor'));
    expect(world.ledger.charges.length).toBe(before);
    expect((await read(scope, colleague.key, `?cursor=${cursor}`)).status).toBe(200);
  });

  test('ends with 410, free of charge, when its cursor is too old [cursor-expired]', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    setLiveInventory(world.collector.live, scope, { pages: threePages });
    const first = await read(scope, key);
    const cursor = first.json.data.pagination.next_cursor;
    await waitFor('nothing is left to undo', async () => (await intentsLeft()) === 0);
    clock.advance(patientLivePages.cursorAgeMaxMs);
    const last = await read(scope, key, `?cursor=${cursor}`);
    clock.advance(1);

    const response = await read(scope, key, `?cursor=${cursor}`);

    expect([last.status, response.status]).toEqual([200, 410]);
    expect(response.json.error.code).toBe('cursor_expired');
    expect(chargesOf(principal.accountId)).toHaveLength(2);
  });
});

test.each([
  ['?language=klingon', 'query', 'language'],
  ['?language=english&language=german', 'query', 'language'],
  ['?capture=no', 'query', 'capture'],
])('%s is 422 and names the problem', async (query, part, field) => {
  const { key } = world.issue();

  const response = await read(newScope(), key, query);

  expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
  expect(response.json.error.detail.issues).toEqual([expect.objectContaining({ in: part, field })]);
});

test('without its permission the answer is 403 and names it (Scopes) [authentication]', async () => {
  const { key } = world.issue({ permissions: ['platform.inventory.current.page.v1'] });

  const response = await read(newScope(), key);

  expect([response.status, response.json.error.code]).toEqual([403, 'permission_denied']);
  expect(response.json.error.detail).toEqual({ permission: 'platform.inventory.page.v1' });
  expect(response.json.meta.credits_charged).toBe(0);
});

test('a client that hangs up frees its slot in the queue, and is charged nothing', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  const gate = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  world.collector.live.onContacted = (request) => request.once('close', () => gone.resolve());
  world.collector.live.respondInstead = async () => {
    await gate.promise;
    return null;
  };
  const { hostname, port } = new URL(gateway.url);
  const call = request({ hostname, port, path: livePathOf(scope), headers: { 'x-api-key': key } });
  call.on('error', () => undefined).end();
  await waitFor('the platform is asked', () => requestedOf(scope).length === 1);

  call.destroy();

  await gone.promise;
  gate.resolve();
  await waitFor('no intent is left', async () => (await intentsLeft()) === 0);
  expect(chargesOf(principal.accountId)).toEqual([]);
});
