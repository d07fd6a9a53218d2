import { currentPath } from '@inventory/contracts/http/current';
import { refreshPage, refreshRecord, refreshStatus } from '@inventory/contracts/http/refresh';
import { isoTime } from '@inventory/runtime/clock';
import { asSent } from '@inventory/testkit/as-sent';
import { newRefreshId, newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { completedView, refused } from './support/fake-collector.ts';
import { gateway, world } from './support/file-gateway.ts';
import { refreshPathOf, statusPathOf } from './support/paths.ts';
import { patientLimits } from './support/patience.ts';

async function startRefresh(key: string): Promise<string> {
  const body = { max_credits: 125 };
  const response = await gateway.call({
    method: 'POST',
    path: refreshPathOf(newScope()),
    key,
    body,
  });
  expect(response.status).toBe(202);
  return response.json.data.refresh_id;
}

function complete(refreshId: string): void {
  const view = world.collector.views.get(refreshId);
  if (view) world.collector.views.set(refreshId, completedView(view));
}

const cancel = (refreshId: string, key: string) =>
  gateway.call({ method: 'POST', path: `${statusPathOf(refreshId)}/cancel`, key });

/** The part of two responses that is equal when only the requests differ. */
function withoutRequestId(text: string): string {
  return text.replaceAll(/req_[0-9a-f-]{36}/g, 'req_');
}

describe('status', () => {
  test('shows the record, Retry-After while pending, and only request_id and environment in meta [list]', async () => {
    const { key } = world.issue();
    const refreshId = await startRefresh(key);

    const pending = await gateway.call({ path: statusPathOf(refreshId), key });
    complete(refreshId);
    const terminal = await gateway.call({ path: statusPathOf(refreshId), key });

    expect(asSent(refreshStatus, pending.json.data).state).toBe('queued');
    expect(pending.headers['retry-after']).toBe('3');
    expect(pending.json.meta).toEqual({
      request_id: pending.headers['x-request-id'],
      environment: 'live',
    });
    expect(terminal.json.data).toMatchObject({ state: 'completed', deadline_at: null });
    expect(terminal.headers['retry-after']).toBeUndefined();
  });

  test('states when a pending refresh is expected to complete, and no other response does (Beyond the interface: Status) [list]', async () => {
    const { key, principal } = world.issue();
    const refreshId = await startRefresh(key);
    const view = world.collector.views.get(refreshId);
    const status = async () => {
      const response = await gateway.call({ path: statusPathOf(refreshId), key });
      return response.json.data.expected_completed_at;
    };

    expect(await status()).toBe(isoTime(view?.expectedCompletedAtMs ?? Number.NaN));
    if (view) world.collector.views.set(refreshId, { ...view, expectedCompletedAtMs: null });
    expect(await status()).toBeNull();
    complete(refreshId);
    expect(await status()).toBeUndefined();

    const path = `/v2/projects/${principal.projectId}/inventory-refreshes`;
    const [listed] = (await gateway.call({ path, key })).json.data.items;
    expect(listed).not.toHaveProperty('expected_completed_at');
  });

  test('is readable by every active Credential of the Project, whatever its permissions', async () => {
    const { key, principal } = world.issue();
    const refreshId = await startRefresh(key);
    const { accountId, projectId } = principal;
    const powerless = world.issue({ accountId, projectId, permissions: [] });

    expect((await gateway.call({ path: statusPathOf(refreshId), key: powerless.key })).status).toBe(
      200,
    );
  });

  test('of another Project, of the same account too, is like an unknown one (Errors) [projects-are-apart]', async () => {
    const { key, principal } = world.issue();
    const refreshId = await startRefresh(key);
    const sibling = world.issue({ accountId: principal.accountId });
    const refused = await startRefresh(key);
    const view = world.collector.views.get(refused);
    if (view) world.collector.views.set(refused, { ...view, decision: 'refused' });

    const responses = await Promise.all([
      gateway.call({ path: statusPathOf(refreshId), key: sibling.key }),
      gateway.call({ path: statusPathOf(newRefreshId()), key: sibling.key }),
      gateway.call({ path: statusPathOf(refused), key }),
      cancel(refreshId, sibling.key),
      cancel(newRefreshId(), sibling.key),
    ]);

    expect(responses.map(({ json }) => json.error.code)).toEqual(
      Array(5).fill('refresh_not_found'),
    );
    expect(new Set(responses.map(({ text }) => withoutRequestId(text))).size).toBe(1);
  });
});

describe('cancel', () => {
  test('is answered 202 with the record, as often as it is asked', async () => {
    const { key } = world.issue();
    const refreshId = await startRefresh(key);

    const responses = await Promise.all([cancel(refreshId, key), cancel(refreshId, key)]);

    for (const response of responses) {
      expect(response.status).toBe(202);
      expect(asSent(refreshRecord, response.json.data).refresh_id).toBe(refreshId);
      expect(response.json.meta).toEqual({
        request_id: response.headers['x-request-id'],
        environment: 'live',
      });
    }
  });

  test('of a terminal refresh is a conflict, also when it ends meanwhile', async () => {
    const { key } = world.issue();
    const [ended, ending] = [await startRefresh(key), await startRefresh(key)];
    complete(ended);
    world.collector.replyToCancel = () => 'already_completed';

    const responses = [await cancel(ended, key), await cancel(ending, key)];

    expect(responses.map(({ status }) => status)).toEqual([409, 409]);
    expect(responses.map(({ json }) => json.error.code)).toEqual(
      Array(2).fill('refresh_already_completed'),
    );
  });

  test('needs the refresh scope', async () => {
    const { key, principal } = world.issue();
    const refreshId = await startRefresh(key);
    const { accountId, projectId } = principal;
    const reader = world.issue({
      accountId,
      projectId,
      permissions: ['platform.inventory.current.page.v1'],
    });

    const response = await cancel(refreshId, reader.key);

    expect(response.status).toBe(403);
    expect(response.json.error.detail).toEqual({ permission: 'platform.inventory.refresh.v1' });
  });

  test('without an answer is 503 and safe to ask again [service-unavailable]', async () => {
    const { key } = world.issue();
    const refreshId = await startRefresh(key);
    world.collector.replyToCancel = () => null;

    const answering = cancel(refreshId, key);
    await waitFor('the collector has it', () =>
      world.collector.cancels.some((asked) => asked.refreshId === refreshId),
    );
    expect(gateway.cutReplies()).toEqual([patientLimits.decisionTimeoutMs]);
    const response = await answering;
    world.reset();

    expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
    expect((await cancel(refreshId, key)).status).toBe(202);
  });
});

describe('the list of refreshes [list]', () => {
  const list = (projectId: string, key: string, query = '') =>
    gateway.call({ path: `/v2/projects/${projectId}/inventory-refreshes${query}`, key });

  test('goes page by page through everything, newest first, and says when it ends [lists]', async () => {
    const { key, principal } = world.issue();
    const started: string[] = [];
    for (let count = 0; count < 5; count += 1) started.push(await startRefresh(key));

    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page += 1) {
      const answer = await list(principal.projectId, key, query);
      const { items, pagination } = asSent(refreshPage, answer.json.data);
      expect(answer.json.meta).toEqual({
        request_id: answer.headers['x-request-id'],
        environment: 'live',
      });
      seen.push(...items.map(({ refresh_id }) => refresh_id));
      expect(pagination.has_more).toBe(page < 2);
      expect(pagination.next_cursor !== null).toBe(page < 2);
      query = `?limit=2&cursor=${pagination.next_cursor}`;
    }

    expect(seen).toEqual(started.toReversed());
  });

  test('is narrowed by repeated state and refresh_id', async () => {
    const { key, principal } = world.issue();
    const ids = [await startRefresh(key), await startRefresh(key), await startRefresh(key)];
    complete(ids[0] ?? '');
    const idsOf = async (query: string) =>
      (await list(principal.projectId, key, query)).json.data.items.map(
        ({ refresh_id }: { refresh_id: string }) => refresh_id,
      );

    expect(await idsOf('?state=completed')).toEqual([ids[0]]);
    expect(await idsOf('?state=completed&state=queued')).toEqual(ids.toReversed());
    expect(await idsOf(`?refresh_id=${ids[0]}&refresh_id=${ids[1]}`)).toEqual([ids[1], ids[0]]);
    expect(await idsOf(`?refresh_id=${ids[0]}&state=queued`)).toEqual([]);
  });

  test('is narrowed by inventory, outcome and time, together too (Free looks and findable lists) [list]', async () => {
    const { key, principal } = world.issue();
    const ids = [await startRefresh(key), await startRefresh(key), await startRefresh(key)];
    complete(ids[0] ?? '');
    const of = async (query: string) => {
      const { json } = await list(principal.projectId, key, query);
      return json.data?.items.map((one: { refresh_id: string }) => one.refresh_id) ?? json.error;
    };
    const { items } = (await list(principal.projectId, key)).json.data;
    const { platform_id, app_id, context_id } = items[1].scope;
    const inventory = `platform_id=${platform_id}&app_id=${app_id}&context_id=${context_id}`;
    const from = encodeURIComponent(items[1].requested_at.replace('Z', '+00:00'));

    expect(await of(`?${inventory}`)).toEqual([ids[1]]);
    expect(await of('?outcome=complete_changed&outcome=private')).toEqual([ids[0]]);
    expect(await of(`?from=${from}`)).toContain(ids[1]);
    expect(await of(`?to=${from}`)).not.toContain(ids[1]);
    expect(await of(`?${inventory}&outcome=private`)).toEqual([]);
    expect(await of('?app_id=730')).toMatchObject({
      code: 'invalid_request',
      detail: { issues: [{ field: 'platform_id' }, { field: 'context_id' }] },
    });
    expect(await of('?outcome=good&from=yesterday')).toMatchObject({
      detail: { issues: [{ field: 'outcome.0' }, { field: 'from' }] },
    });
  });

  test('of another Project is not found, whether it exists or not', async () => {
    const { key, principal } = world.issue();
    const other = world.issue({ accountId: principal.accountId });

    const responses = [
      await list(other.principal.projectId, key),
      await list('prj_01890000-0000-7000-8000-000000000000', key),
    ];

    expect(responses.map(({ json }) => json.error.code)).toEqual(
      Array(2).fill('project_not_found'),
    );
    expect(new Set(responses.map(({ text }) => withoutRequestId(text))).size).toBe(1);
  });

  test("does not take another Project's cursor", async () => {
    const one = world.issue();
    const two = world.issue({ accountId: one.principal.accountId });
    await startRefresh(one.key);
    await startRefresh(one.key);
    const first = await list(one.principal.projectId, one.key, '?limit=1');
    const cursor = first.json.data.pagination.next_cursor;

    const response = await list(two.principal.projectId, two.key, `?cursor=${cursor}`);

    expect([response.status, response.json.error.code]).toEqual([422, 'invalid_cursor']);
  });
});

describe('an observation that is young enough (Freshness) [max-age-seconds]', () => {
  const body = { max_credits: 125, max_age_seconds: 60 };
  const verifiedAt = '2026-01-15T09:58:31.000Z';
  const saved = {
    decision: 'saved',
    priceVersion: 1,
    revisionId: 'invrev_0198c0de-0000-7000-8000-000000000003',
    verifiedAtMs: Date.parse(verifiedAt),
    completedAtMs: Date.parse('2026-01-15T10:00:00.012Z'),
  } as const;

  const post = (
    key: string,
    sent: object,
    {
      scope = newScope(),
      idempotencyKey,
    }: { scope?: ReturnType<typeof newScope>; idempotencyKey?: string } = {},
  ) =>
    gateway.call({
      method: 'POST',
      path: refreshPathOf(scope),
      key,
      body: sent,
      headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
    });
  const commandsOf = (project: string) =>
    world.collector.requests.filter(({ projectId }) => projectId === project);

  test('is answered 200 without Retry-After, a terminal record and no hold, whatever the balance', async () => {
    const { key, principal } = world.issue();
    const scope = newScope();
    world.collector.decide = () => saved;

    const response = await post(key, body, { scope });

    expect([response.status, response.headers['retry-after']]).toEqual([200, undefined]);
    expect(response.headers.location).toBe(statusPathOf(response.json.data.refresh_id));
    expect(asSent(refreshRecord, response.json.data)).toMatchObject({
      state: 'completed',
      outcome: 'complete_unchanged',
      served_from: 'saved',
      revision_id: saved.revisionId,
      links: { current: currentPath(scope) },
      verified_at: verifiedAt,
      product_code: 'platform.inventory.refresh.v1',
      billing_disposition: 'finalize_saved',
      billing: { credits_reserved: 0, credits_charged: 0, credits_released: 0 },
    });
    expect(response.json.meta).toMatchObject({
      credits_reserved: 0,
      billing_disposition: 'not_charged',
    });
    expect(commandsOf(principal.projectId)).toMatchObject([
      { freshness: { maxAgeSeconds: 60, priceVersion: 1 } },
    ]);
  });

  test('needs no funds, and without one a refresh that lacks them costs the ledger no second command', async () => {
    const { key, principal } = world.issue();
    const detail = { required: 125, available: 3 };
    world.ledger.setBalance(principal.accountId, 3);
    world.collector.decide = () => refused({ code: 'insufficient_credits', detail });
    const responses = [await post(key, body), await post(key, body)];
    world.collector.isSaved = true;
    world.collector.decide = () => saved;
    responses.push(await post(key, body));

    expect(responses.map(({ status }) => status)).toEqual([402, 402, 200]);
    expect(commandsOf(principal.projectId)).toHaveLength(2);
  });

  test('is the answer of its key: 200 again; another max_age_seconds is a conflict', async () => {
    const { key } = world.issue();
    const [idempotencyKey, scope] = ['key', newScope()];
    await post(key, body, { scope, idempotencyKey });
    for (const [id, view] of world.collector.views) {
      const record = { ...view.record, servedFrom: 'saved', state: 'completed' } as const;
      world.collector.views.set(id, { ...view, record, retryAfterSeconds: null });
    }

    const again = await post(key, body, { scope, idempotencyKey });
    const other = await post(key, { max_credits: 125 }, { scope, idempotencyKey });

    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(again.json.meta.billing_disposition).toBe('not_charged');
    expect([other.status, other.json.error.code]).toEqual([409, 'idempotency_conflict']);
  });

  test('is not asked for by a Credential that may not read Current: its refresh is scanned', async () => {
    const { key, principal } = world.issue({ permissions: ['platform.inventory.refresh.v1'] });

    const response = await post(key, body);

    expect([response.status, response.json.data.served_from]).toEqual([202, 'scan']);
    expect(commandsOf(principal.projectId)[0]?.freshness).toBeNull();
  });

  test.each([-1, 86_401, 1.5, '60', null])('max_age_seconds %j is 422', async (value) => {
    const { key } = world.issue();
    const response = await post(key, { ...body, max_age_seconds: value });

    expect([response.status, response.json.error.code]).toEqual([422, 'invalid_request']);
    expect(response.json.error.detail.issues).toMatchObject([{ field: 'max_age_seconds' }]);
  });
});
