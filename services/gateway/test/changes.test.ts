import { changesPage } from '@inventory/contracts/http/changes';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { asSent } from '@inventory/testkit/as-sent';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { clock, gateway, world } from './support/clocked-gateway.ts';
import { membersText, saveInventory } from './support/fake-revision-store.ts';
import { refusalResponse } from './support/http-fake.ts';
import { changesPathOf, currentPathOf } from './support/paths.ts';
import { patientLimits } from './support/patience.ts';
import { noKeyIsOpen } from './support/settled-keys.ts';

type Scope = ReturnType<typeof newScope>;

const newRevision = () => `invrev_${newRefreshId()}`;
const read = (scope: Scope, key: string, query: string, headers = {}) =>
  gateway.call({ path: changesPathOf(scope, query), key, headers });

/** An inventory of three pages of one asset, and who may read it. */
function given() {
  const { key, principal } = world.issue();
  const scope = newScope();
  const pages = ['7', '8', '9'].map(membersText);
  const saved = saveInventory(world.revisions, scope, { pages });
  world.ledger.setBalance(principal.accountId, 50);
  return { key, principal, scope, saved, since: newRevision() };
}

describe('Changes (Beyond the interface: Changes) [changes-are-charged-as-current]', () => {
  it('come with both revisions, their evidence and the bill of a page of Current', async () => {
    const { key, principal, scope, saved, since } = given();

    const response = await read(scope, key, `since=${since}&page_size=1`);

    expect(response.status).toBe(200);
    const { revisionId, observationId, verifiedAtMs, scanWindow } = saved.meta;
    expect(changesPage.parse(asSent(changesPage, response.json.data))).toMatchObject({
      ...{ scope, observationId, verifiedAtMs, scanWindow, ageSeconds: 60 },
      fromRevisionId: since,
      toRevisionId: revisionId,
      added: [{ assetid: '7' }],
      removed: [],
      changed: [],
      descriptions: [{ classid: '3' }],
      counts: { added: 3, removed: 0, changed: 0 },
      pagination: { hasMore: true },
    });
    expect(response.headers).toMatchObject({
      'x-description-language': 'english',
      'content-language': 'en',
    });
    expect(asSent(pageReadMeta, response.json.meta)).toMatchObject({
      product_code: 'platform.inventory.changes.page.v1',
      price_version: 1,
      credits_charged: 1,
      credits_remaining: 49,
      billing_disposition: 'charged',
      billing_reason: null,
    });
    const charge = world.ledger.charges.find((of) => of.accountId === principal.accountId);
    expect(charge?.productCode).toBe('platform.inventory.changes.page.v1');
  });

  it('go on page by page between the same two revisions, each with the counts of all', async () => {
    const { key, principal, scope, since } = given();
    const ids: string[] = [];
    let query = `since=${since}&page_size=1`;
    for (;;) {
      const { json } = await read(scope, key, query);
      const { added, counts, pagination } = changesPage.parse(json.data);
      ids.push(...added.map(({ assetid }) => assetid));
      expect(counts).toEqual({ added: 3, removed: 0, changed: 0 });
      if (pagination.nextCursor === null) break;
      query = `page_size=1&cursor=${pagination.nextCursor}`;
    }

    expect(ids).toEqual(['7', '8', '9']);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(47);
  });

  it('that are none cost nothing, also under a key, which is free again', async () => {
    const { key, principal, scope, saved } = given();
    const headers = { 'Idempotency-Key': 'k' };
    const query = `since=${saved.meta.revisionId}`;

    const responses = [await read(scope, key, query), await read(scope, key, query, headers)];
    await noKeyIsOpen(world);
    const other = await read(scope, key, `since=${newRevision()}`, headers);

    for (const { status, json } of responses) {
      expect(status).toBe(200);
      expect(json.data).toMatchObject({
        ...{ added: [], removed: [], changed: [], descriptions: [] },
        counts: { added: 0, removed: 0, changed: 0 },
        pagination: { has_more: false, next_cursor: null },
      });
      expect(json.meta).toMatchObject({
        credits_charged: 0,
        credits_remaining: 50,
        billing_disposition: 'not_charged',
        billing_reason: 'no_changes',
      });
    }
    expect([other.status, other.json.meta.credits_charged]).toEqual([200, 1]);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(49);
  });

  it('that were paid under a key are read again free', async () => {
    const { key, principal, scope, since } = given();
    const again = () => read(scope, key, `since=${since}`, { 'Idempotency-Key': 'k' });
    await again();
    await noKeyIsOpen(world);

    const { headers, json } = await again();

    expect(headers['idempotency-replayed']).toBe('true');
    expect(json.meta).toMatchObject({ credits_charged: 0, billing_reason: 'idempotent_replay' });
    expect(world.ledger.balanceOf(principal.accountId)).toBe(49);
  });

  it('whose page would start past its deadline are not written, and their charge is undone', async () => {
    const { key, principal, scope, since } = given();
    world.ledger.beforeCharge = () => clock.advance(patientLimits.deliverWithinMs);

    const response = await read(scope, key, `since=${since}`);

    expect([response.status, response.json.error.code]).toEqual([503, 'billing_unavailable']);
    await waitFor('the charge is reversed', () => {
      return world.ledger.balanceOf(principal.accountId) === 50;
    });
  });
});

describe('A revision from which nothing leads (Beyond the interface: 410 revision_expired) [revision-expired]', () => {
  it('that has expired is answered with the newest one and its link, free', async () => {
    const { key, principal, scope, saved, since } = given();
    const detail = {
      revision_id: saved.meta.revisionId,
      links: { current: currentPathOf(scope) },
    };
    world.revisions.respondInstead = () => refusalResponse({ code: 'revision_expired', detail });

    const { status, json } = await read(scope, key, `since=${since}`);

    expect([status, json.error.code, json.error.detail]).toEqual([410, 'revision_expired', detail]);
    expect(world.ledger.balanceOf(principal.accountId)).toBe(50);
  });

  it('that is none of the inventory, or not given, is an invalid request', async () => {
    const { key, scope, since } = given();
    const issue = {
      in: 'query',
      field: 'since',
      reason: 'is no revision of this inventory',
    } as const;
    const { json: missing } = await read(scope, key, 'page_size=1');
    world.revisions.respondInstead = () =>
      refusalResponse({ code: 'invalid_request', detail: { issues: [issue] } });
    const { status, json: unknown } = await read(scope, key, `since=${since}`);

    expect(missing.error.detail).toEqual({
      issues: [{ ...issue, reason: 'is required without a cursor' }],
    });
    expect([status, unknown.error.detail]).toEqual([422, { issues: [issue] }]);
  });

  it('other than that of the cursor, or a cursor of others, is an invalid cursor [cursors]', async () => {
    const { key, scope, since } = given();
    const { json } = await read(scope, key, `since=${since}&page_size=1`);
    const cursor = json.data.pagination.next_cursor;
    const stranger = world.issue();
    world.ledger.setBalance(stranger.principal.accountId, 5);

    const same = await read(scope, key, `since=${since}&cursor=${cursor}`);
    const wrong = [
      await read(scope, key, `since=${newRevision()}&cursor=${cursor}`),
      await read(scope, stranger.key, `cursor=${cursor}`),
      await read(scope, key, `cursor=${cursor}&language=german`),
      await gateway.call({ path: `${currentPathOf(scope)}?cursor=${cursor}`, key }),
    ];

    expect(same.status).toBe(200);
    for (const { status, json } of wrong) {
      expect([status, json.error.code]).toEqual([422, 'invalid_cursor']);
    }
  });
});
