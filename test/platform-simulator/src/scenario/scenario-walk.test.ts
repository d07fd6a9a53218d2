import { answer } from '../platform/answer.ts';
import type { World } from '../platform/world.ts';
import { scenarioInventory, scenarioListing, scenarioNames } from '../scenarios.ts';
import {
  assetIds,
  inventoryRequest,
  pageOf,
  unlimitedWorld,
  walkPages,
} from '../testing/ask-platform.ts';

const joinKey = (row: Record<string, unknown>) => `${row['classid']}_${row['instanceid'] ?? '0'}`;

function walkScenario(name: string, world: World = unlimitedWorld(), serial = 0) {
  return walkPages(world, scenarioInventory(name, serial));
}

function totals(name: string): number[] {
  return walkScenario(name).map((page) => Number(page.total_inventory_count));
}

/** Statuses and EResult texts of repeated first-page requests. */
function firstPages(name: string, times: number): string[] {
  const world = unlimitedWorld();
  return Array.from({ length: times }, () => {
    const { status, body } = answer(inventoryRequest(scenarioInventory(name)), world);
    const text = String(body);
    return status === 200 && text.endsWith('"rwgrsn":-2}') && text.includes('"assets"')
      ? 'good'
      : `${status} ${text}`;
  });
}

describe('scenario accounts that deliver every page (upstream 5)', () => {
  it.each([
    ['empty', 0, 1],
    ['one-item', 1, 1],
    ['size-2000', 2_000, 1],
    ['size-2001', 2_001, 2],
    ['size-4001', 4_001, 3],
    ['some-hidden', 40, 1],
    ['stacks', 60, 1],
    ['huge-amounts', 30, 1],
    ['ids-above-2-53', 2_500, 2],
    ['different-language', 120, 1],
    ['short-middle-page', 5_000, 4],
    ['blank-middle-page', 4_001, 4],
    ['description-repeated', 4_001, 3],
    ['cursor-before-last-row', 4_001, 3],
    ['cursor-removed-next', 4_001, 3],
    ['added-at-top', 4_001, 3],
    ['hidden-end', 4_000, 3],
    ['heavy-first-page', 6_001, 4],
  ])('%s has %i different assets on %i pages', (name, assets, pageCount) => {
    const pages = walkScenario(name);

    const ids = assetIds(pages);
    expect(pages).toHaveLength(pageCount);
    expect(ids).toHaveLength(assets);
    expect(new Set(ids).size).toBe(assets);
  });

  it.each([
    ['size-250000', 250_000],
    ['size-250001', 250_001],
  ])('%s reports %i assets', (name, total) => {
    const answered = answer(inventoryRequest(scenarioInventory(name)), unlimitedWorld());

    expect(pageOf(answered).total_inventory_count).toBe(total);
  });

  it('all-hidden reports three assets and shows none', () => {
    const { body } = answer(inventoryRequest(scenarioInventory('all-hidden')), unlimitedWorld());

    expect(String(body)).toBe('{"total_inventory_count":3,"success":1,"rwgrsn":-2}');
  });

  it('stacks and huge-amounts hold more than one of everything', () => {
    const amounts = (name: string) =>
      walkScenario(name).flatMap((page) => (page.assets ?? []).map((row) => String(row['amount'])));

    expect(amounts('stacks').every((amount) => Number(amount) > 1)).toBe(true);
    expect(amounts('huge-amounts').every((amount) => BigInt(amount) > 2n ** 62n)).toBe(true);
    expect(amounts('huge-amounts').every((amount) => BigInt(amount) < 2n ** 63n)).toBe(true);
  });

  it('texts-change finds the same assets with other words on each scan', () => {
    const world = unlimitedWorld();
    const [first] = walkScenario('texts-change', world);
    const [second] = walkScenario('texts-change', world);

    expect(second?.assets).toEqual(first?.assets);
    expect(second?.descriptions?.map(joinKey)).toEqual(first?.descriptions?.map(joinKey));
    expect(second?.descriptions).not.toEqual(first?.descriptions);
  });

  it('one-more-each-scan has a new asset at the top each time', () => {
    const world = unlimitedWorld();
    const first = assetIds(walkScenario('one-more-each-scan', world));
    const second = assetIds(walkScenario('one-more-each-scan', world));

    expect(first).toHaveLength(100);
    expect(second.slice(1)).toEqual(first);
  });
});

describe('scenario accounts with odd pages (upstream 1.1, 1.3 and 5)', () => {
  it('currency-row has a row that is numbered by currencyid', () => {
    const rows = walkScenario('currency-row')[0]?.assets ?? [];

    expect(rows[0]).toHaveProperty('currencyid');
    expect(rows[0]).not.toHaveProperty('assetid');
    expect(rows.slice(1).every((row) => 'assetid' in row)).toBe(true);
  });

  it('missing-instanceid leaves instance "0" out of rows and descriptions', () => {
    const [page] = walkScenario('missing-instanceid');
    const rows = [...(page?.assets ?? []), ...(page?.descriptions ?? [])];

    expect(rows.some((row) => !('instanceid' in row))).toBe(true);
    expect(rows.every((row) => row['instanceid'] !== '0')).toBe(true);
  });

  it.each(['description-missing', 'description-later'])(
    '%s leaves the first asset of the first page undescribed',
    (name) => {
      const pages = walkScenario(name);

      const [first] = pages;
      const described = new Set((first?.descriptions ?? []).map(joinKey));
      const missing = (first?.assets ?? []).filter((row) => !described.has(joinKey(row)));
      expect(missing).toHaveLength(1);
      const later = pages.slice(1).flatMap((page) => (page.descriptions ?? []).map(joinKey));
      expect(later.includes(joinKey(missing[0] ?? {}))).toBe(name === 'description-later');
    },
  );

  it('description-repeated sends the same few descriptions twice on each page', () => {
    const [first, second] = walkScenario('description-repeated');

    const keys = (first?.descriptions ?? []).map(joinKey);
    expect(new Set(keys).size * 2).toBe(keys.length);
    const classes = (page = first) => new Set(page?.descriptions?.map((row) => row['classid']));
    expect(classes().size).toBe(25);
    expect(classes(second)).toEqual(classes());
  });

  it('description-carries-assetid has one description per asset', () => {
    const [page] = walkScenario('description-carries-assetid');

    expect(page?.descriptions?.map((row) => row['assetid'])).toEqual(
      page?.assets?.map((row) => row['assetid']),
    );
  });

  it('odd-lists writes lists as null, as an empty string or not at all', () => {
    const rows = walkScenario('odd-lists')[0]?.descriptions ?? [];

    expect(new Set(rows.map((row) => row['tags']))).toEqual(new Set(['', null]));
    expect(rows.every((row) => !('actions' in row) && row['market_actions'] === null)).toBe(true);
  });

  it('unknown-fields adds fields on every level', () => {
    const [page] = walkScenario('unknown-fields');

    expect(page).toHaveProperty('sim_page_note');
    expect(page?.assets?.[0]).toHaveProperty('sim_added_2027');
    expect(page?.descriptions?.[0]).toHaveProperty('sim_added_2027');
  });

  it('blank-middle-page continues after a page without assets', () => {
    const pages = walkScenario('blank-middle-page');

    expect(pages.map((page) => page.assets?.length ?? 0)).toEqual([2_000, 0, 2_000, 1]);
    expect(pages[1]).not.toHaveProperty('descriptions');
    expect(pages[1]?.last_assetid).not.toBe(pages[0]?.last_assetid);
  });

  it('short-middle-page continues after 500 assets', () => {
    const pages = walkScenario('short-middle-page');

    expect(pages.map((page) => page.assets?.length)).toEqual([2_000, 500, 2_000, 500]);
  });

  it('same-cursor-twice and cursor-cycle never come to an end', () => {
    const world = unlimitedWorld();
    const same = walkPages(world, scenarioInventory('same-cursor-twice'), 6);
    const cycle = walkPages(world, scenarioInventory('cursor-cycle'), 6);

    expect(same).toHaveLength(6);
    expect(new Set(same.map((page) => page.last_assetid)).size).toBe(1);
    expect(cycle).toHaveLength(6);
    expect(new Set(cycle.map((page) => page.last_assetid)).size).toBe(2);
  });

  it('never-ends has a new cursor after every asset, beyond any page budget', () => {
    const request = { ...scenarioInventory('never-ends'), count: 10 };
    const pages = walkPages(unlimitedWorld(), request, 300);

    expect(pages).toHaveLength(300);
    expect(new Set(pages.map((page) => page.last_assetid)).size).toBe(300);
  });

  it('cursor-missing has more items and no way to ask for them', () => {
    const [page] = walkScenario('cursor-missing');

    expect(page?.more_items).toBe(1);
    expect(page).not.toHaveProperty('last_assetid');
  });

  it('zero-more-items ends with 0 and a cursor', () => {
    const last = walkScenario('zero-more-items').at(-1);

    expect(last?.more_items).toBe(0);
    expect(last?.last_assetid).toBe(last?.assets?.at(-1)?.['assetid']);
  });

  it('cursor-before-last-row continues rightly by last_assetid only', () => {
    const [first] = walkScenario('cursor-before-last-row');

    expect(first?.last_assetid).toBe(first?.assets?.at(-2)?.['assetid']);
  });

  it.each(['duplicate-asset', 'duplicate-asset-new-amount'])(
    '%s repeats the last asset of a page at the head of the next',
    (name) => {
      const pages = walkScenario(name);

      const last = pages[0]?.assets?.at(-1);
      const repeated = pages[1]?.assets?.[0];
      expect(repeated?.['assetid']).toBe(last?.['assetid']);
      expect(repeated?.['amount'] === '7').toBe(name === 'duplicate-asset-new-amount');
      expect(assetIds(pages)).toHaveLength(4_003);
      expect(new Set(assetIds(pages)).size).toBe(4_001);
    },
  );

  it.each([
    ['added-at-top', [4_001, 4_002, 4_002]],
    ['cursor-removed-next', [4_001, 4_000, 4_000]],
    ['total-grows', [4_001, 4_006, 4_006]],
    ['total-shrinks', [4_001, 3_996, 3_996]],
    ['cursor-removed-blank-end', [4_001, 4_000]],
  ])('%s reports totals %j', (name, expected) => {
    expect(totals(name)).toEqual(expected);
  });

  it('cursor-removed-blank-end looks like the end of a complete inventory', () => {
    const last = walkScenario('cursor-removed-blank-end').at(-1);

    expect(last).toEqual({ total_inventory_count: 4_000, success: 1, rwgrsn: -2 });
  });

  it('cursor-removed-blank-end shows all that is left when its first page is read again', () => {
    const world = unlimitedWorld();
    walkScenario('cursor-removed-blank-end', world);
    const ids = assetIds(walkScenario('cursor-removed-blank-end', world));

    expect(new Set(ids).size).toBe(4_000);
  });

  it('cursor-removed-each-time ends elsewhere and blank each time it is read', () => {
    const world = unlimitedWorld();
    const walks = [1, 2, 3].map(() => walkScenario('cursor-removed-each-time', world));

    expect(walks.map((pages) => pages.at(-1)?.assets)).toEqual([undefined, undefined, undefined]);
    expect(new Set(walks.map(([first]) => first?.last_assetid)).size).toBe(3);
  });

  it('hidden-end ends with a page without assets behind a page with more', () => {
    const [, second, last] = walkScenario('hidden-end');

    expect(second?.more_items).toBe(1);
    expect(last).toEqual({ total_inventory_count: 4_003, success: 1, rwgrsn: -2 });
  });

  it('heavy-first-page is as heavy as no client reads, unless fewer assets are asked for', () => {
    const world = unlimitedWorld();
    const scope = scenarioInventory('heavy-first-page');
    const bytes = (count: number) =>
      answer(inventoryRequest({ ...scope, count }), world).body.length;

    expect(bytes(2_000)).toBeGreaterThan(8 * 1024 * 1024);
    expect(bytes(1_000)).toBeLessThan(2 * 1024 * 1024);
  });

  it('cursor-removed-500 refuses the cursor of the first page for good', () => {
    const world = unlimitedWorld();
    const scope = scenarioInventory('cursor-removed-500');
    const first = pageOf(answer(inventoryRequest(scope), world));
    const next = inventoryRequest({ ...scope, startAssetId: first.last_assetid });

    expect([answer(next, world).status, answer(next, world).status]).toEqual([500, 500]);
  });
});

describe('scenario accounts that fail (upstream 1.4 and 5)', () => {
  const error = (code: number) => `500 {"error":"SimRefresh failed with EResult ${code}"}`;

  it.each([
    ['private', ['403 null', '403 null']],
    ['private-401', ['401 null', '401 null']],
    ['not-found', ['404 null', '404 null']],
    ['unknown-app', [error(42), error(42)]],
    ['eresult-42', [error(42), error(42)]],
    ['eresult-77', [error(77), error(77)]],
    ['eresult-55', [error(55), error(55)]],
    ['eresult-55-twice', [error(55), error(55), 'good', error(55), error(55), 'good']],
    ['old-eresult-20-once', ['500 {"error":"Sim item server did not answer (20)"}', 'good']],
    ['duplicate-request-once', [error(29), 'good']],
    ['timeout-text-once', ['500 {"error":"Timeout"}', 'good']],
    ['null-200-once', ['200 null', 'good', '200 null']],
    ['null-200', ['200 null', '200 null']],
    ['old-refusal', ['200 {"success":false,"Error":"Sim private text"}']],
    ['unsuccessful', ['200 {"success":2,"rwgrsn":-2}']],
    ['fake-redirect', ['200 {"success":1,"fake_redirect":0}']],
    ['bad-request', ['400 null', '400 null']],
  ])('%s answers %j', (name, expected) => {
    expect(firstPages(name, expected.length)).toEqual(expected);
  });

  it.each([
    ['not-found-html', 404],
    ['html-200', 200],
    ['gateway-503', 503],
  ])('%s answers with an HTML page', (name, status) => {
    const answered = answer(inventoryRequest(scenarioInventory(name)), unlimitedWorld());

    expect(answered).toMatchObject({ status, contentType: 'text/html; charset=UTF-8' });
  });

  it.each(['html-200-once', 'gateway-503-once', 'truncated-json-once'])(
    '%s is good again',
    (name) => {
      const [first, second] = firstPages(name, 2);

      expect(first).not.toBe('good');
      expect(second).toBe('good');
    },
  );

  it('cut-connection-once and slow-once damage one answer only', () => {
    const world = unlimitedWorld();
    const ask = (name: string) => answer(inventoryRequest(scenarioInventory(name)), world);

    expect([ask('cut-connection-once').cut, ask('cut-connection-once').cut]).toEqual([true, false]);
    expect([ask('slow-once').delayMs, ask('slow-once').delayMs]).toEqual([120_000, 0]);
    expect([ask('slow').delayMs, ask('slow').delayMs]).toEqual([120_000, 120_000]);
  });

  it('truncated-json is never whole JSON', () => {
    const answered = answer(
      inventoryRequest(scenarioInventory('truncated-json')),
      unlimitedWorld(),
    );

    expect(answered.status).toBe(200);
    expect(() => pageOf(answered)).toThrow(SyntaxError);
  });

  it('eresult-55-twice-at-page-2 fails between two good pages', () => {
    const world = unlimitedWorld();
    const scope = scenarioInventory('eresult-55-twice-at-page-2');
    const first = pageOf(answer(inventoryRequest(scope), world));
    const next = inventoryRequest({ ...scope, startAssetId: first.last_assetid });

    const statuses = [1, 2, 3].map(() => answer(next, world).status);

    expect(statuses).toEqual([500, 500, 200]);
  });

  it('becomes-private-at-page-2 stays private for every page, until a minute without a request', () => {
    const world = unlimitedWorld();
    const scope = scenarioInventory('becomes-private-at-page-2');
    const ask = (nowMs: number, startAssetId?: string) =>
      answer(inventoryRequest({ ...scope, nowMs, startAssetId }), world);
    const cursor = pageOf(ask(0)).last_assetid;

    expect(ask(1, cursor).status).toBe(403);
    expect(ask(2).status).toBe(403);
    expect(ask(60_001).status).toBe(403);
    expect(ask(120_001).status).toBe(200);
  });

  it('private-at-page-2-only contradicts itself when the first page is read again', () => {
    const world = unlimitedWorld();
    const scope = scenarioInventory('private-at-page-2-only');
    const cursor = pageOf(answer(inventoryRequest(scope), world)).last_assetid;

    expect(answer(inventoryRequest({ ...scope, startAssetId: cursor }), world).status).toBe(403);
    expect(answer(inventoryRequest(scope), world).status).toBe(200);
  });

  it('429-until-silent answers an identity after a minute of silence, and not before', () => {
    const world = unlimitedWorld();
    const ask = (nowMs: number, identity = 'one') =>
      answer(inventoryRequest({ ...scenarioInventory('429-until-silent'), nowMs, identity }), world)
        .status;

    expect([ask(0), ask(59_000), ask(118_999), ask(178_999)]).toEqual([429, 429, 429, 200]);
    expect(ask(179_000, 'other')).toBe(429);
  });

  it('keeps the plans of two accounts of one scenario apart', () => {
    const world = unlimitedWorld();
    const ask = (serial: number) =>
      answer(inventoryRequest(scenarioInventory('eresult-55-twice', serial)), world).status;

    expect([ask(1), ask(2), ask(1), ask(2), ask(1), ask(2)]).toEqual([
      500, 500, 500, 500, 200, 200,
    ]);
  });
});

describe('the list of scenarios', () => {
  it('gives each name one platform id of 17 digits that never changes', () => {
    const listing = scenarioListing();

    const ids = Object.values(listing).map((entry) => String(entry['platform_id']));
    expect(Object.keys(listing)).toEqual(scenarioNames);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^[0-9]{17}$/.test(id))).toBe(true);
    expect(listing['private']).toMatchObject({ platform_id: '76120100000000000', app_id: 730 });
    expect(listing['empty']).toMatchObject({ platform_id: '76100100000000000', context_id: 2 });
  });

  it('refuses a name it does not know', () => {
    expect(() => scenarioInventory('nothing')).toThrow('no scenario is named nothing');
  });
});
