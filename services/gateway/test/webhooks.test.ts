import type { webhookDelivery, webhookEndpointList } from '@inventory/contracts/http/webhooks';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import type { z } from 'zod';
import { fakeSecret } from './support/fake-webhooks.ts';
import { gateway, world } from './support/file-gateway.ts';

const manage = { permissions: ['customer.webhooks.manage.v1'], eventsEnabled: true } as const;

const hook = { url: 'https://example.com/hook', types: ['inventory.refresh.completed'] };
const pathOf = (projectId: string, rest = '') =>
  `/v2/projects/${projectId}/webhook-endpoints${rest}`;
const lastRequested = () => world.webhooks.asked.at(-1);

test('the secret of an endpoint is shown when it is made or replaced, and not when it is read (Events: webhooks) [webhooks-managing]', async () => {
  const { key, principal } = world.issue(manage);
  const path = pathOf(principal.projectId);

  const created = await gateway.call({ method: 'POST', path, key, body: hook });
  const { endpoint_id: id } = created.json.data;
  const rotated = await gateway.call({
    method: 'POST',
    path: `${path}/${id}/rotate-secret`,
    key,
    body: {},
  });
  const read = await gateway.call({ path: `${path}/${id}`, key });
  const list = await gateway.call({ path, key });

  expect([created.status, created.json.data.secret]).toEqual([201, fakeSecret]);
  expect([rotated.status, rotated.json.data.secret]).toEqual([200, fakeSecret]);
  expect(read.text + list.text).not.toContain('whsec_');
  expect(created.headers['cache-control']).toBe('no-store');
  expect(world.webhooks.asked.find(({ method }) => method === 'POST')?.body).toMatchObject({
    ...hook,
    description: null,
    account_id: principal.accountId,
  });
});

test('a repeated key creates one endpoint, whose secret it shows as long as the endpoint is there (Idempotency-Key of secrets) [idempotency-key-of-secrets]', async () => {
  const { key, principal } = world.issue(manage);
  const path = pathOf(principal.projectId);
  const headers = { 'Idempotency-Key': 'once' };
  const create = (body: object = hook) =>
    gateway.call({ method: 'POST', path, key, headers, body });
  const asksOf = (method: string) =>
    world.webhooks.asked.filter(
      (asked) => asked.method === method && asked.path.includes(principal.projectId),
    );

  world.webhooks.refusal = { code: 'webhook_endpoint_limit_reached', detail: { limit: 10 } };
  const refused = await create({ ...hook, description: 'Too many' });
  world.webhooks.refusal = { code: 'service_unavailable', retry_after_seconds: 1 };
  const undecided = await create();
  world.webhooks.refusal = null;
  const first = await create();
  const again = await create();
  const other = await create({ ...hook, description: 'Other' });

  expect([refused.status, undecided.status, other.json.error.code]).toEqual([
    409,
    503,
    'idempotency_conflict',
  ]);
  // The one whose outcome was unknown and the one after it name the same endpoint and secret.
  const [, unknown, created] = asksOf('POST').map(({ body }) => body as { secret: string });
  expect(unknown).toEqual(created);
  expect(asksOf('POST')).toHaveLength(3);
  expect(first.json.data).toMatchObject({ secret: created?.secret });
  expect(again.json.data).toMatchObject({ secret: created?.secret });
  expect([first, again].map(({ headers: sent }) => sent['idempotency-replayed'])).toEqual([
    'true',
    'true',
  ]);
  world.webhooks.refusal = { code: 'webhook_endpoint_not_found' };
  expect((await create()).json.error.code).toBe('webhook_endpoint_not_found');
});

test('a rotation passes on its Idempotency-Key, and the answer says that the key was used before (Events: webhooks) [idempotency-key]', async () => {
  const { key, principal } = world.issue(manage);
  const path = pathOf(principal.projectId, `/whe_${newRefreshId()}/rotate-secret`);
  const rotate = (body: object) =>
    gateway.call({ method: 'POST', path, key, headers: { 'Idempotency-Key': 'once' }, body });

  const first = await rotate({ overlap_seconds: 60, force: true });
  world.webhooks.replayed = true;
  const again = await rotate({ overlap_seconds: 60, force: true });

  expect(lastRequested()?.body).toEqual({
    overlap_seconds: 60,
    force: true,
    idempotency_key: 'once',
  });
  expect([first, again].map(({ headers }) => headers['idempotency-replayed'])).toEqual([
    undefined,
    'true',
  ]);
  expect(again.json.data).toEqual(first.json.data);
});

test('a Project that is not the own one has no endpoints to be seen (Events: webhooks)', async () => {
  const { key } = world.issue(manage);
  const before = world.webhooks.asked.length;

  const responses = await Promise.all([
    gateway.call({ path: pathOf(newProjectId()), key }),
    gateway.call({ method: 'POST', path: pathOf(newProjectId()), key, body: hook }),
    gateway.call({ method: 'DELETE', path: pathOf(newProjectId(), `/whe_${newRefreshId()}`), key }),
  ]);

  expect(responses.map(({ json }) => json.error.code)).toEqual(Array(3).fill('project_not_found'));
  expect(world.webhooks.asked).toHaveLength(before);
});

test('the legacy wildcard does not manage webhooks (Authentication: explicit permissions) [authentication, scopes]', async () => {
  const { key, principal } = world.issue({ permissions: ['*'], eventsEnabled: true });

  const response = await gateway.call({ path: pathOf(principal.projectId), key });

  expect([response.status, response.json.error.detail]).toEqual([
    403,
    { permission: 'customer.webhooks.manage.v1' },
  ]);
});

test('without events nothing new is sent, and what is there can still be seen and deleted (Events: webhooks)', async () => {
  const { key, principal } = world.issue({ ...manage, eventsEnabled: false });
  const path = pathOf(principal.projectId);
  const one = `${path}/whe_${newRefreshId()}`;

  const refused = await Promise.all([
    gateway.call({ method: 'POST', path, key, body: hook }),
    gateway.call({ method: 'POST', path: `${one}/test`, key }),
    gateway.call({
      method: 'POST',
      path: `${one}/redeliver`,
      key,
      body: { event_id: `evt_${newRefreshId()}` },
    }),
  ]);
  const allowed = await Promise.all([
    gateway.call({ path, key }),
    gateway.call({ method: 'DELETE', path: one, key }),
  ]);

  expect(refused.map(({ json }) => json.error.detail)).toEqual(
    Array(3).fill({ reason: 'events_not_enabled' }),
  );
  expect(allowed.map(({ status }) => status)).toEqual([200, 200]);
});

test('a URL that cannot be sent to is an issue of the body, with the reason (Events: webhooks)', async () => {
  const { key, principal } = world.issue(manage);
  const issue = { in: 'body', field: 'url', reason: 'must lead to a public address' } as const;
  world.webhooks.refusal = { code: 'invalid_request', detail: { issues: [issue] } };

  const response = await gateway.call({
    method: 'POST',
    path: pathOf(principal.projectId),
    key,
    body: { ...hook, url: 'https://127.0.0.1/' },
  });

  expect([response.status, response.json.error]).toMatchObject([
    422,
    {
      code: 'invalid_request',
      detail: { issues: [issue] },
    },
  ]);
});

test('endpoints are listed in parts, and each once where one is deleted between two parts (Events: webhooks) [lists]', async () => {
  const { key, principal } = world.issue(manage);
  const path = pathOf(principal.projectId);
  const ids = [1, 2, 3].map((digit) => `whe_0198c0de-0000-7000-8000-00000000000${digit}`);
  world.webhooks.endpointIds = ids;
  const list = async (query: string) => {
    const { json } = await gateway.call({ path: `${path}?${query}`, key });
    return json.data as z.input<typeof webhookEndpointList>;
  };

  const first = await list('limit=2');
  world.webhooks.endpointIds = ids.filter((id) => id !== ids[1]);
  const second = await list(`limit=2&cursor=${first.pagination.next_cursor}`);
  const other = world.issue(manage);
  const foreign = await gateway.call({
    path: `${pathOf(other.principal.projectId)}?cursor=${first.pagination.next_cursor}`,
    key: other.key,
  });

  const parts = [first, second].map(({ items }) => items.map(({ endpoint_id }) => endpoint_id));
  expect(parts).toEqual([ids.slice(0, 2), ids.slice(2)]);
  expect([first, second].map(({ pagination }) => pagination)).toEqual([
    { has_more: true, next_cursor: expect.any(String) },
    { has_more: false, next_cursor: null },
  ]);
  expect([foreign.status, foreign.json.error.code]).toEqual([422, 'invalid_cursor']);
});

test('deliveries are listed on, page by page, with a cursor of this endpoint only (Events: webhooks)', async () => {
  const { key, principal } = world.issue(manage);
  const [one, other] = [1, 2].map(() =>
    pathOf(principal.projectId, `/whe_${newRefreshId()}/deliveries`),
  ) as [string, string];
  const delivery: z.input<typeof webhookDelivery> = {
    event_id: `evt_${newRefreshId()}`,
    type: 'inventory.refresh.completed',
    state: 'failed',
    failure: 'attempts_exhausted',
    created_at: '2026-11-21T10:00:00.000Z',
    next_attempt_at: null,
    attempts_total: 1,
    attempts: [
      {
        ...{ at: '2026-11-21T10:00:01.000Z', duration_ms: 7 },
        ...{ status: null, error: 'dns', response_body: null },
      },
    ],
  };
  world.webhooks.deliveries = { items: [delivery], next_before: '001/evt' };

  const first = await gateway.call({ path: `${one}?state=failed&limit=1`, key });
  const { next_cursor: cursor } = first.json.data.pagination;
  world.webhooks.deliveries = { items: [], next_before: null };
  const range = 'from=2026-11-21T00:00:00.000Z&to=2026-11-22T00:00:00.000Z';
  const second = await gateway.call({ path: `${one}?cursor=${cursor}&${range}`, key });
  const asked = lastRequested();
  const moved = await gateway.call({ path: `${other}?cursor=${cursor}`, key });

  expect(first.json.data).toMatchObject({ items: [delivery], pagination: { has_more: true } });
  expect(asked?.query).toEqual({
    ...{ before: '001/evt', limit: '50' },
    ...{ from: '2026-11-21T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z' },
  });
  expect(second.json.data).toEqual({
    items: [],
    pagination: { has_more: false, next_cursor: null },
  });
  expect(moved.json.error.code).toBe('invalid_cursor');
});

test('an endpoint that is changed all the time is worth another try', async () => {
  const { key, principal } = world.issue(manage);
  world.webhooks.refusal = { code: 'concurrent_change' };
  const path = pathOf(principal.projectId, `/whe_${newRefreshId()}`);

  const response = await gateway.call({ method: 'PATCH', path, key, body: { state: 'disabled' } });

  expect([response.status, response.headers['retry-after']]).toEqual([503, '1']);
});

test('what is to be sent again is one event or a range, never both and never neither (Events: webhooks)', async () => {
  const { key, principal } = world.issue(manage);
  const path = pathOf(principal.projectId, `/whe_${newRefreshId()}/redeliver`);
  const event_id = `evt_${newRefreshId()}`;
  const since = '2026-11-21T10:00:00.000Z';

  const send = async (body: object) =>
    (await gateway.call({ method: 'POST', path, key, body })).status;

  expect(await Promise.all([{ event_id }, { since }, { since, until: since }].map(send))).toEqual([
    202, 202, 202,
  ]);
  expect(
    await Promise.all(
      [{}, { event_id, since }, { until: since }, { since: 'yesterday' }].map(send),
    ),
  ).toEqual([422, 422, 422, 422]);
});
