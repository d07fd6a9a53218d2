import type { RefreshRecord, refreshRecord } from '@inventory/contracts/http/refresh';
import { watchLink } from '@inventory/contracts/http/watches';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import type { z } from 'zod';
import type { Principal } from '../src/tenancy/principal.domain.ts';
import { completedView, viewOf } from './support/fake-collector.ts';
import { saveInventory } from './support/fake-revision-store.ts';
import { gateway, world } from './support/file-gateway.ts';
import { patientDeadlines } from './support/patience.ts';
import { startTestGateway } from './support/test-gateway.ts';

/** A Project with calls of its watches. */
function newProject(overrides: Partial<Principal> = {}) {
  const { key, principal } = world.issue(overrides);
  const { projectId } = principal;
  const at = (scope: ReturnType<typeof newScope>) => watchLink(projectId, scope);
  return {
    key,
    principal,
    put: (scope: ReturnType<typeof newScope>, body: object = {}) =>
      gateway.call({
        method: 'PUT',
        path: at(scope),
        key,
        body: { every_seconds: 3_600, ...body },
      }),
    read: (scope: ReturnType<typeof newScope>, by = key) =>
      gateway.call({ path: at(scope), key: by }),
    runs: (scope: ReturnType<typeof newScope>, query = '') =>
      gateway.call({ path: `${at(scope)}/runs${query}`, key }),
    remove: (scope: ReturnType<typeof newScope>) =>
      gateway.call({ method: 'DELETE', path: at(scope), key }),
    list: (query = '') => gateway.call({ path: `/v2/projects/${projectId}/watches${query}`, key }),
    post: (verb: string, body?: object, at = gateway) =>
      at.call({
        method: 'POST',
        path: `/v2/projects/${projectId}/watches/${verb}`,
        key,
        ...(body && { body }),
      }),
  };
}

describe('a watch (Watches) [watches]', () => {
  test('is put once and changed by the next PUT under its id, read, and deleted', async () => {
    const { put, read, remove } = newProject();
    const scope = newScope();

    const made = await put(scope, { max_credits_per_day: 500, language: 'german' });
    const changed = await put(scope, { every_seconds: 300 });

    expect([made.status, changed.status]).toEqual([201, 200]);
    expect(made.json.data).toMatchObject({
      watch_id: expect.stringMatching(/^wat_/),
      scope,
      every_seconds: 3_600,
      language: 'german',
      max_credits_per_day: 500,
      state: 'active',
      paused_reason: null,
      last_refresh_id: null,
      last_outcome: null,
      expected_credits_per_month: 720,
      maximum_credits_per_month: 16_000,
    });
    expect(changed.json.data).toMatchObject({
      watch_id: made.json.data.watch_id,
      every_seconds: 300,
      language: 'english',
      max_credits_per_day: null,
    });
    expect((await read(scope)).json.data).toEqual(changed.json.data);
    expect((await remove(scope)).json.data).toEqual({
      watch_id: made.json.data.watch_id,
      deleted: true,
    });
    expect((await read(scope)).json.error.code).toBe('watch_not_found');
    expect((await remove(scope)).status).toBe(404);
  });

  test('of a dry run states what it would cost and is not stored', async () => {
    const { put, read } = newProject();
    const scope = newScope();

    const { status, json } = await put(scope, { dry_run: true });

    expect([status, json.data.watch_id, json.data.every_seconds]).toEqual([200, null, 3_600]);
    expect(json.data.maximum_credits_per_month).toBeGreaterThanOrEqual(125 * 24 * 31);
    expect((await read(scope)).status).toBe(404);
  });

  test.each([
    [{ every_seconds: 299 }, 'every_seconds', 'must be at least 300'],
    [{ every_seconds: 604_801 }, 'every_seconds', 'must be at most 604800'],
    [{ every_seconds: 300.5 }, 'every_seconds', 'must be a whole number'],
    [{ max_credits_per_day: 124 }, 'max_credits_per_day', 'must be at least 125'],
    [{ language: 'klingon' }, 'language', expect.any(String)],
    [{ period: 1 }, 'period', expect.any(String)],
  ])('%j is 422', async (body, field, reason) => {
    const response = await newProject().put(newScope(), body);

    expect(response.status).toBe(422);
    expect(response.json.error.detail.issues).toMatchObject([{ field, reason }]);
  });

  test('of another Project is not found by its address, nor among its own', async () => {
    const [mine, other] = [newProject(), newProject()];
    const scope = newScope();
    await mine.put(scope);

    expect((await other.read(scope)).json.error.code).toBe('watch_not_found');
    expect((await mine.read(scope, other.key)).json.error.code).toBe('project_not_found');
    expect((await other.list()).json.data.items).toEqual([]);
  });

  test('takes a slot of its Project, at most as many as are set, in a batch too; a changed one takes none', async () => {
    const { put, post, list, remove } = newProject();
    const scopes = [newScope(), newScope(), newScope(), newScope()];
    const items = scopes.map((scope) => ({ ...scope, every_seconds: 300 }));

    const batch = await post('batch', { items: [...items, { ...newScope(), every_seconds: 1 }] });

    const statuses = batch.json.data.items.map(({ status }: { status: number }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, 422, 429]);
    expect(statuses[4]).toBe(422);
    const kept = (await list()).json.data.items;
    expect(kept).toHaveLength(3);
    expect((await put(newScope())).json.error).toMatchObject({
      code: 'watch_limit_exceeded',
      detail: { limit: 3 },
    });
    expect((await put(kept[0].scope)).status).toBe(200);
    await remove(kept[0].scope);
    expect((await put(newScope())).status).toBe(201);
  });

  test('is listed by inventory, from page to page, and by its state', async () => {
    const { put, list } = newProject();
    for (const scope of [newScope(), newScope(), newScope()]) await put(scope);

    const first = (await list('?limit=2')).json.data;
    const next = (await list(`?limit=2&cursor=${first.pagination.next_cursor}`)).json.data;

    const ids = [...first.items, ...next.items].map(({ scope }) => scope.platform_id);
    expect([first.items.length, next.items.length, next.pagination.has_more]).toEqual([
      2,
      1,
      false,
    ]);
    expect(ids).toEqual(ids.toSorted());
    expect((await list('?state=active')).json.data.items).toHaveLength(3);
    expect((await list('?state=paused')).json.data.items).toEqual([]);
  });
});

test('a new watch is expected to cost by the saved size, wherever it is shown (Watches) [watches]', async () => {
  const { put, read, list, post } = newProject();
  const scope = newScope();
  saveInventory(world.revisions, scope, { totalCount: 40_000 });
  const items = [{ ...scope, every_seconds: 3_600 }];

  const responses = [
    (await put(scope, { dry_run: true })).json,
    (await post('batch', { items, dry_run: true })).json.data.items[0],
    (await put(scope)).json,
    (await post('batch', { items })).json.data.items[0],
    (await read(scope)).json,
    { data: (await list()).json.data.items[0] },
  ];

  // 20 credits where it changed, 5 where not: 8 a run.
  expect(responses.map(({ data }) => data.expected_credits_per_month)).toEqual(
    responses.map(() => 720 * 8),
  );
});

test('a batch in a dry run stores nothing (Watches) [watches]', async () => {
  const { post, list } = newProject();
  const items = [{ ...newScope(), every_seconds: 300 }];

  const { json } = await post('batch', { items, dry_run: true });

  expect(json.data.items).toMatchObject([{ success: true, status: 200, data: { watch_id: null } }]);
  expect((await list()).json.data.items).toEqual([]);
});

test('the items of a batch do not wait for one whose store hangs, and those of one inventory keep their order (Watches) [watches]', async () => {
  const { post, read } = newProject();
  const [hanging, other] = [newScope(), newScope()];
  const gate = Promise.withResolvers<void>();
  world.revisions.respondInstead = async ({ pathname }) => {
    if (pathname.includes(hanging.platform_id)) await gate.promise;
    return null;
  };
  const item = (scope: object, every_seconds: number) => ({ ...scope, every_seconds });

  const items = [item(hanging, 300), item(hanging, 400), item(other, 500)];
  const response = post('batch', { items });
  await waitFor('the other one is stored', async () => (await read(other)).status === 200);
  expect((await read(hanging)).status).toBe(404);
  gate.resolve();

  const { json } = await response;
  const statuses = json.data.items.map(({ status }: { status: number }) => status);
  expect(statuses).toEqual([201, 200, 201]);
  expect((await read(hanging)).json.data.every_seconds).toBe(400);
});

test('an item of a batch that has not begun by its deadline is refused alone, and not stored (Watches) [watches]', async () => {
  const late = await startTestGateway(world, { deadlines: { ...patientDeadlines, batchMs: -1 } });
  const { post, list } = newProject();
  const items = [newScope(), newScope()].map((scope) => ({ ...scope, every_seconds: 300 }));

  const { status, json } = await post('batch', { items }, late);

  const refused = { status: 503, error: { code: 'service_unavailable' } };
  expect([status, json.data.items]).toMatchObject([200, [refused, refused]]);
  expect((await list()).json.data.items).toEqual([]);
  await late.stop();
});

test('a sample is sent before there is a watch, free; without events enabled nothing is (Watches: test) [watches]', async () => {
  const response = await newProject({ eventsEnabled: true }).post('test');

  expect([response.status, response.json.data.endpoints.length]).toEqual([202, 1]);
  expect(world.webhooks.asked.at(-1)).toMatchObject({ method: 'POST' });

  const sent = world.webhooks.asked.length;
  const { status, json } = await newProject().post('test');
  expect([status, json.error]).toMatchObject([
    403,
    { code: 'permission_denied', detail: { reason: 'events_not_enabled' } },
  ]);
  expect(world.webhooks.asked).toHaveLength(sent);
});

test('its runs have outcome, charge, event and the state of its deliveries, and are those that cost something or nothing (Watches: runs) [watches]', async () => {
  const { put, runs, principal } = newProject();
  const scope = newScope();
  const { watch_id } = (await put(scope)).json.data;
  const request = (id: `${string}-${string}-${string}-${string}-${string}`) => ({
    ...{ refreshId: id, accountId: principal.accountId, projectId: principal.projectId, scope },
    requestId: `req_${id}` as const,
    ...{ idempotencyKey: null, fingerprint: '', language: 'english' as const, maxCredits: 125 },
    ...{ freshness: null, watchId: watch_id, credentialId: null },
    requestedAtMs: Date.parse('2026-01-15T10:00:00.000Z'),
  });
  /** A run, completed where it has a charge. */
  function addRun(at: number, charged?: Partial<RefreshRecord['billing']>) {
    const id = `01890000-0000-7000-8000-00000000000${at}` as const;
    const open = viewOf(request(id));
    const view = charged ? completedView(open) : open;
    const billing = { ...view.record.billing, ...charged };
    world.collector.views.set(id, {
      ...view,
      record: { ...view.record, watchId: watch_id, billing },
    });
    return id;
  }
  const byUnits = { funding: 'subscription', creditsCharged: 0 } as const;
  const paid = addRun(1, { creditsCharged: 1 });
  const free = addRun(2, { creditsCharged: 0 });
  const paidByUnits = addRun(3, { ...byUnits, unitsCharged: 4 });
  const freeByUnits = addRun(4, { ...byUnits, unitsCharged: 0 });
  const open = addRun(5);

  const { items, pagination } = (await runs(scope)).json.data;

  expect(items.at(-1)).toMatchObject({
    refresh_id: paid,
    at: '2026-01-15T10:00:00.000Z',
    outcome: 'complete_changed',
    event_id: expect.stringMatching(/^evt_/),
    deliveries: [{ state: 'delivered' }],
  });
  expect(pagination).toEqual({ has_more: false, next_cursor: null });
  const charges = items.map((run: Record<string, unknown>) => [
    ...[run['refresh_id'], run['credits_charged'], run['units_charged']],
  ]);
  expect(charges).toEqual([
    [open, null, null],
    [freeByUnits, 0, 0],
    [paidByUnits, 0, 4],
    [free, 0, 0],
    [paid, 1, 0],
  ]);
  const idsOf = async (query: string) =>
    (await runs(scope, query)).json.data.items.map(
      ({ refresh_id }: z.input<typeof refreshRecord>) => refresh_id,
    );
  expect(await idsOf('?charged=true')).toEqual([paidByUnits, paid]);
  expect(await idsOf('?charged=false')).toEqual([freeByUnits, free]);
  const { next_cursor } = (await runs(scope, '?limit=4')).json.data.pagination;
  expect(await idsOf(`?limit=1&cursor=${next_cursor}`)).toEqual([paid]);
  expect((await runs(scope, '?charged=maybe')).status).toBe(422);
  expect((await runs(newScope())).json.error.code).toBe('watch_not_found');
});
