import { gunzipSync } from 'node:zlib';
import { currentPage } from '@inventory/contracts/http/current';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { inventorySummary } from '@inventory/contracts/http/summary';
import { languageTags } from '@inventory/contracts/languages';
import { contentCodings } from '@inventory/contracts/vocabulary';
import { isoTime } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newScope } from '@inventory/testkit/builders';
import { unpackers } from '@inventory/testkit/unpackers';
import { waitFor } from '@inventory/testkit/wait-for';
import { clock, gateway, world } from './support/clocked-gateway.ts';
import { setLiveInventory } from './support/fake-live-pages.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { refusalResponse } from './support/http-fake.ts';
import {
  currentPathOf,
  livePathOf,
  refreshPathOf,
  summaryPathOf,
  v1PathOf,
} from './support/paths.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';

type Scope = ReturnType<typeof newScope>;

const read = (scope: Scope, key: string, query = '', headers = {}) =>
  gateway.call({ path: currentPathOf(scope) + query, key, headers });

const intentsLeft = () => world.records.collection('page_intents').countDocuments();

const chargesOf = (accountId: string) =>
  world.ledger.charges.filter((command) => command.accountId === accountId);

test('a page is read and paid while the collector is down, and asks it for nothing (Current: never starts work) [current-never-starts-work]', async () => {
  const { key, principal } = world.issue();
  const [saved, unknown] = [newScope(), newScope()];
  saveInventory(world.revisions, saved);
  world.ledger.setBalance(principal.accountId, 50);
  world.collector.http.isDown = true;

  const [page, none] = [await read(saved, key), await read(unknown, key)];

  expect([page.status, page.json.meta.credits_charged]).toEqual([200, 1]);
  expect([none.status, none.json.error.code]).toEqual([404, 'inventory_revision_not_found']);
  const own = ({ projectId }: { projectId: string }) => projectId === principal.projectId;
  expect(world.collector.requests.filter(own)).toEqual([]);
});

test('a saved page comes with its evidence, its bill and its language (Reads)', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  const saved = saveInventory(world.revisions, scope, {
    language: 'schinese',
    reportedTotalCount: 9,
    pages: [membersText('18446744073709551615'), membersText('2')],
  });
  world.ledger.setBalance(principal.accountId, 50);

  const response = await read(scope, key, '?language=schinese&page_size=1');

  expect(response.status).toBe(200);
  const page = asSent(currentPage, response.json.data);
  const { revisionId, observationId, verifiedAtMs, scanWindow } = saved.meta;
  const evidence = { scope, revisionId, observationId, verifiedAtMs, scanWindow };
  expect(currentPage.parse(page)).toMatchObject(evidence);
  expect(page).toMatchObject({ total_count: 2, total_amount: 2, reported_total_count: 9 });
  expect(page.assets[0]?.assetid).toBe('18446744073709551615');
  expect(page.age_seconds).toBe(60);
  expect(page.pagination.has_more).toBe(true);
  expect(response.headers).toMatchObject({
    'x-description-language': 'schinese',
    'content-language': languageTags.schinese,
  });
  expect(asSent(pageReadMeta, response.json.meta)).toEqual({
    request_id: response.headers['x-request-id'],
    environment: 'live',
    product_code: 'platform.inventory.current.page.v1',
    price_version: 1,
    credits_charged: 1,
    credits_remaining: 49,
    billing_disposition: 'charged',
    billing_reason: null,
    rate_limit: expect.anything(),
  });
  await waitFor(
    'the intent is deleted once the page is delivered',
    async () => (await intentsLeft()) === 0,
  );
  expect(world.ledger.balanceOf(principal.accountId)).toBe(49);
});

test('every purchase names the Credential whose spend cap it counts against: pages of each route, exports and refreshes (Spend cap per Credential) [credential-spend-cap]', async () => {
  const { key, principal } = world.issue();
  const { accountId, projectId, credentialId } = principal;
  const scope = newScope();
  const pages = [membersText('1')];
  saveInventory(world.revisions, scope, { pages });
  setLiveInventory(world.collector.live, scope, { pages });
  world.ledger.setBalance(accountId, 50);
  const current = currentPathOf(scope);

  for (const path of [current, `${current}/export`, livePathOf(scope), v1PathOf(scope)]) {
    expect((await gateway.call({ path, key })).status).toBe(200);
  }
  const body = { max_credits: 125 };
  await gateway.call({ method: 'POST', path: refreshPathOf(scope), key, body });

  const charges = chargesOf(accountId).map((charge) => charge.credentialId);
  const requests = world.collector.requests.filter((one) => one.projectId === projectId);
  expect(charges).toEqual(Array(4).fill(credentialId));
  expect(requests.map((one) => one.credentialId)).toEqual([credentialId]);
});

test('the summary of an inventory is free for any Credential, counts as a request, and shows whether the own Project refreshes it (Free looks) [free-look]', async () => {
  const { key, principal } = world.issue({ permissions: [], requestsPerMinute: 6 });
  const { accountId, projectId } = principal;
  const [saved, unknown] = [newScope(), newScope()];
  const { meta } = saveInventory(world.revisions, saved, { reportedTotalCount: 9 });
  world.ledger.setBalance(accountId, 0);
  const summary = (of: Scope, by = key) => gateway.call({ path: summaryPathOf(of), key: by });
  const refreshed = (of: Scope, by: string) =>
    gateway.call({
      ...{ method: 'POST', path: refreshPathOf(of), key: by, body: { max_credits: 125 } },
    });

  const first = await summary(saved);
  expect(asSent(inventorySummary, first.json.data)).toEqual({
    scope: saved,
    revision_id: meta.revisionId,
    observation_id: meta.observationId,
    verified_at: isoTime(meta.verifiedAtMs),
    scan_window: expect.anything(),
    observed_by: 'refresh',
    language: 'english',
    total_count: 1,
    hidden_count: 8,
    description_count: 1,
    age_seconds: 60,
    pending_refresh: null,
  });
  expect(first.json.meta).toEqual({
    request_id: first.headers['x-request-id'],
    environment: 'live',
  });

  const own = await refreshed(saved, world.issue({ accountId, projectId }).key);
  await refreshed(unknown, world.issue({ accountId, projectId }).key);
  await refreshed(saved, world.issue({ accountId }).key);
  const { refresh_id, state, requested_at } = own.json.data;
  const second = await summary(saved);
  expect(second.json.data.pending_refresh).toEqual({ refresh_id, state, requested_at });
  expect(chargesOf(accountId)).toEqual([]);

  const none = await summary(unknown);
  expect([none.status, none.json.error.code]).toEqual([404, 'inventory_revision_not_found']);
  expect((await summary(saved)).status).toBe(429);
});

test('the language of the descriptions given is named, also when it is not the one asked for [another-language]', async () => {
  const { key } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope, { language: 'english' });

  const response = await read(scope, key, '?language=german');

  expect(response.headers).toMatchObject({
    'x-description-language': 'english',
    'content-language': 'en',
  });
});

test.each(contentCodings)(
  'a page that the store keeps packed leaves so in %s, with its values after it (Current path: never parsed) [compression]',
  async (coding) => {
    const { key } = world.issue();
    const scope = newScope();
    saveInventory(world.revisions, scope);
    world.revisions.packs = true;

    const packed = await read(scope, key, '', { 'accept-encoding': coding });

    const text = unpackers[coding](packed.bytes).toString();
    expect(packed.headers['content-encoding']).toBe(coding);
    expect(world.revisions.asked.at(-1)?.searchParams.get('coding')).toBe(coding);
    expect(text).toContain(membersText('1'));
    expect(currentPage.parse(JSON.parse(text).data).assets).toHaveLength(1);
    expect(JSON.parse(text).meta.credits_charged).toBe(1);
  },
);

test('the saved bytes leave unchanged, plain and packed (Current path: never parsed) [compression]', async () => {
  const { key } = world.issue();
  const scope = newScope();
  const name = 'Ünïcode \\u2028 \\ud83d\\ude00 and 1e400, padded '.padEnd(5_000, '-');
  const odd = `\t"assets" : [\r\n {"appid":730 ,"contextid":"2","assetid":"1","classid":"3","instanceid":"0","amount":"1","n":1.50E+2}\t],\n\n"descriptions":[ {"appid":730,"classid":"3", "instanceid":"0","market_hash_name":"${name}","x":123456789012345678901} ] `;
  saveInventory(world.revisions, scope, { pages: [odd], totalAmount: '98765432109876543210' });

  const plain = await read(scope, key);
  const packed = await read(scope, key, '', { 'accept-encoding': 'gzip' });

  expect(plain.bytes.includes(Buffer.from(odd))).toBe(true);
  expect(plain.text).toContain('"total_amount":98765432109876543210,');
  expect(packed.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(packed.bytes).includes(Buffer.from(odd))).toBe(true);
  expect(plain.json.data.descriptions).toHaveLength(1);
});

test('evidence from a clock that is ahead is never of a negative age', async () => {
  const { key } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope, { verifiedAtMs: clock.now() + 30_000 });

  expect((await read(scope, key)).json.data.age_seconds).toBe(0);
});

test('without a saved revision the answer is 404 and costs nothing [current-no-revision]', async () => {
  const { key, principal } = world.issue();

  const response = await read(newScope(), key);

  expect([response.status, response.json.error.code]).toEqual([
    404,
    'inventory_revision_not_found',
  ]);
  expect(response.json.meta).toEqual({
    request_id: response.headers['x-request-id'],
    environment: 'live',
    product_code: 'platform.inventory.current.page.v1',
    price_version: 1,
    credits_charged: 0,
    billing_disposition: 'not_charged',
    billing_reason: 'no_revision',
    rate_limit: expect.anything(),
  });
  expect(chargesOf(principal.accountId)).toEqual([]);
  await waitFor('no intent is left', async () => (await intentsLeft()) === 0);
});

test('without funds the answer is 402 and no page; in a loop one charge is refused, and the first credit pays (Errors: 402) [insufficient-credits-insufficient-units]', async () => {
  const { key, principal } = world.issue();
  const scope = newScope();
  saveInventory(world.revisions, scope);
  world.ledger.setBalance(principal.accountId, 0);

  const refused = [];
  for (let round = 0; round < 4; round += 1) refused.push(await read(scope, key));
  const unknown = await read(newScope(), key);
  world.ledger.setBalance(principal.accountId, 1);
  const paid = await read(scope, key);

  const first = refused[0]?.json.error;
  for (const { status, json, text } of refused) {
    expect([status, json.error]).toEqual([
      402,
      { ...first, request_id: json.error.request_id, detail: { required: 1, available: 0 } },
    ]);
    expect(json.meta.credits_charged).toBe(0);
    expect(text).not.toContain('assetid');
  }
  expect(unknown.json.error.code).toBe('inventory_revision_not_found');
  expect(paid.status).toBe(200);
  // In a ledger each charge is an entry, kept for ever, refused ones too.
  expect(chargesOf(principal.accountId)).toHaveLength(2);
  await waitFor('no intent is left', async () => (await intentsLeft()) === 0);
});

describe('a lookup of assets [current-lookups]', () => {
  const pages = ['1', '2', '18446744073709551615'].map(membersText);

  test('is one page of those found in their order of asking, with the others named, at the price of a page (Current lookups)', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    saveInventory(world.revisions, scope, { pages });
    world.ledger.setBalance(principal.accountId, 10);

    const { status, json } = await read(
      scope,
      key,
      '?assetid=18446744073709551615&assetid=007&assetid=1&assetid=1&descriptions=none',
    );

    expect(status).toBe(200);
    const page = asSent(currentPage, json.data);
    expect(page.assets.map(({ assetid }) => assetid)).toEqual(['18446744073709551615', '1']);
    expect(page).toMatchObject({ descriptions: [], not_in_revision: ['007'], total_count: 3 });
    expect(page.pagination).toEqual({ has_more: false, next_cursor: null });
    expect(json.meta).toMatchObject({ credits_charged: 1, credits_remaining: 9 });
  });

  test('under an Idempotency-Key is read again free, and with other ids is a conflict', async () => {
    const { key } = world.issue();
    const scope = newScope();
    saveInventory(world.revisions, scope, { pages });
    const headers = { 'idempotency-key': 'lookup' };

    await read(scope, key, '?assetid=1&assetid=2', headers);
    await noKeyIsOpen(world);
    const again = await read(scope, key, '?assetid=1&assetid=2', headers);
    const others = await read(scope, key, '?assetid=1', headers);

    expect([again.headers['idempotency-replayed'], again.json.meta.credits_charged]).toEqual([
      'true',
      0,
    ]);
    expect([others.status, others.json.error.code]).toEqual([409, 'idempotency_conflict']);
  });

  test.each([
    ['with a cursor', 'assetid=1&cursor=abc', ['cursor']],
    ['with a page size, also the default one', 'assetid=1&page_size=2000', ['page_size']],
    ['of what is no id', 'assetid=1&assetid=x', ['assetid.1']],
    ['of an id that is too long', `assetid=${'1'.repeat(21)}`, ['assetid.0']],
    ['of nothing', 'assetid=', ['assetid.0']],
    ['of too many', Array.from({ length: 101 }, (_, id) => `assetid=${id}`).join('&'), ['assetid']],
    ['of other descriptions', 'assetid=1&descriptions=all', ['descriptions']],
  ])('%s is 422 and free', async (_what, query, fields) => {
    const { key, principal } = world.issue();

    const { status, json } = await read(newScope(), key, `?${query}`);

    expect([status, json.error.code]).toEqual([422, 'invalid_request']);
    const { issues } = json.error.detail as { issues: { field: string }[] };
    expect(issues.map(({ field }) => field)).toEqual(fields);
    expect(chargesOf(principal.accountId)).toEqual([]);
  });

  test('of assets that are larger than a page is 422 and free', async () => {
    const { key, principal } = world.issue();
    const issue = { in: 'query', field: 'assetid', reason: 'are too large' } as const;
    world.revisions.respondInstead = () =>
      refusalResponse({ code: 'invalid_request', detail: { issues: [issue] } });

    const { status, json } = await read(newScope(), key, '?assetid=1&assetid=2');

    expect([status, json.error.detail]).toEqual([422, { issues: [issue] }]);
    expect(chargesOf(principal.accountId)).toEqual([]);
  });
});

describe('a chain of pages', () => {
  const pages = [membersText('1'), membersText('2'), membersText('3')];

  async function firstCursor(scope: Scope, key: string, query = ''): Promise<string> {
    return (await read(scope, key, query)).json.data.pagination.next_cursor;
  }

  test('stays with its revision and observation when a newer one is saved meanwhile [current-pinned-chain]', async () => {
    const { key } = world.issue();
    const scope = newScope();
    const saved = saveInventory(world.revisions, scope, { pages });
    const cursor = await firstCursor(scope, key);

    const second = await read(scope, key, `?cursor=${cursor}&page_size=700`);
    const last = await read(scope, key, `?cursor=${second.json.data.pagination.next_cursor}`);

    const asked = world.revisions.asked.filter(({ pathname }) =>
      pathname.includes(scope.platform_id),
    );
    const pins = asked.map(({ searchParams }) => [
      searchParams.get('revision_id'),
      searchParams.get('observation_id'),
      searchParams.get('position'),
      searchParams.get('page_size'),
    ]);
    const { revisionId, observationId } = saved.meta;
    expect(pins).toEqual([
      [null, null, '0', '2000'],
      [revisionId, observationId, '1', '700'],
      [revisionId, observationId, '2', '2000'],
    ]);
    expect(last.json.data.assets[0].assetid).toBe('3');
    expect(last.json.data.pagination).toEqual({ has_more: false, next_cursor: null });
  });

  test('ends with 410, free of charge, when its revision was pruned [cursor-expired]', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    saveInventory(world.revisions, scope, { pages });
    const cursor = await firstCursor(scope, key);
    saveInventory(world.revisions, scope, { pages });

    const response = await read(scope, key, `?cursor=${cursor}`);

    expect([response.status, response.json.error.code]).toEqual([410, 'cursor_expired']);
    expect(chargesOf(principal.accountId)).toHaveLength(1);
  });

  test('refuses the cursor of another account, scope, language or route', async () => {
    const { key, principal } = world.issue();
    const stranger = world.issue();
    const colleague = world.issue({ accountId: principal.accountId });
    const scope = newScope();
    const other = { ...scope, context_id: 6 };
    saveInventory(world.revisions, scope, { pages });
    saveInventory(world.revisions, other, { pages });
    const cursor = await firstCursor(scope, key);
    const chargesBefore = world.ledger.charges.length;

    const responses = [
      await read(scope, stranger.key, `?cursor=${cursor}`),
      await read(other, key, `?cursor=${cursor}`),
      await read(scope, key, `?cursor=${cursor}&language=german`),
      await gateway.call({
        path: `/v2/projects/${principal.projectId}/inventory-refreshes?cursor=${cursor}`,
        key,
      }),
    ];

    expect(responses.map(({ json }) => json.error.code)).toEqual(Array(4).fill('invalid_cursor'));
    expect(world.ledger.charges.length).toBe(chargesBefore);
    expect((await read(scope, colleague.key, `?cursor=${cursor}`)).status).toBe(200);
  });
});

test('a misspelt query parameter is refused, free, and named (Transport) [path-values]', async () => {
  const { key, principal } = world.issue();
  const response = await read(newScope(), key, '?languge=german');

  expect([response.status, response.json.error.detail]).toEqual([
    422,
    {
      issues: [{ in: 'query', field: 'languge', reason: 'is not a known parameter; language is' }],
    },
  ]);
  expect(response.json.meta.credits_charged).toBe(0);
  expect(world.ledger.charges.filter(({ accountId }) => accountId === principal.accountId)).toEqual(
    [],
  );
});

test('an account that reads as much as it can leaves the revision-store to others (Everything is bounded)', async () => {
  const [greedy, other] = [world.issue(), world.issue()];
  const [saved, theirs] = [newScope(), newScope()];
  for (const scope of [saved, theirs]) saveInventory(world.revisions, scope);
  const gate = Promise.withResolvers<null>();
  let asked = 0;
  world.revisions.respondInstead = ({ pathname }) => {
    if (pathname.includes(theirs.platform_id)) return null;
    asked += 1;
    return gate.promise;
  };
  const pages = Array.from({ length: 100 }, () => read(saved, greedy.key));
  await waitFor('the account has its part', () => asked === 16);

  expect((await read(theirs, other.key)).status).toBe(200);
  expect(asked).toBe(16);
  gate.resolve(null);
  expect(new Set((await Promise.all(pages)).map(({ status }) => status))).toEqual(new Set([200]));
});
