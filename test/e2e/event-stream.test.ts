import { projectEvent } from '@inventory/contracts/http/project-event';
import { asSent } from '@inventory/testkit/as-sent';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  newReadingCustomer,
  type ReadingCustomer,
  refreshIdsOf,
  refreshOnePages,
} from './support/reading-customer.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { scenarioScope } from './support/simulator-control.ts';
import { openReader, type StreamReader } from './support/stream-reader.ts';

const stack = openSharedStack();
let serial = 80_001;

afterAll(() => stack.close());

const newReader = (options = {}) => newReadingCustomer(stack, options);

function refreshed(customer: ReadingCustomer, count: number): Promise<string[]> {
  const serials = Array.from({ length: count }, (_none, index) => serial + index);
  serial += count;
  return refreshOnePages(customer, serials);
}

const errorOf = (reader: StreamReader) =>
  waitFor('the refusal is read', () => reader.ended() && JSON.parse(reader.text()).error);

test('a terminal refresh is on the stream at once, and its event equals its Status (Events) [events-gapless]', async () => {
  const customer = await newReader();
  const reader = await customer.open();
  const checkpoint = await reader.frame('checkpoint');

  const id = await customer.api.accepted(scenarioScope('private', 80_000));
  const [frame] = await reader.events(1);

  expect(reader.status).toBe(200);
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-request-id': expect.stringMatching(/^req_/),
  });
  expect(Date.parse(JSON.parse(checkpoint.data).as_of)).toBeLessThanOrEqual(Date.now());
  const event = asSent(projectEvent, JSON.parse(frame?.data ?? ''));
  const record = await customer.api.record(id);
  expect(event).toMatchObject({
    type: 'inventory.refresh.completed',
    occurred_at: record.completed_at,
    project_id: customer.projectId,
    data: {
      refresh_id: id,
      state: 'completed',
      outcome: record.outcome,
      scope: record.scope,
      revision_id: record.revision_id,
    },
  });
  expect(frame?.id?.length).toBeLessThanOrEqual(128);
  expect(frame?.id).not.toBe(event.id);
  reader.cut();
});

test('a reader that comes back with its last cursor misses nothing and is given nothing twice, at either gateway (Events)', async () => {
  const customer = await newReader();
  const first = await customer.open();
  await first.frame('checkpoint');
  const early = await refreshed(customer, 3);
  const [applied] = await first.events(3);
  first.cut();
  const late = await refreshed(customer, 3);

  const second = await customer.open(applied?.id, 1);
  const given = await second.events(5);
  const live = await refreshed(customer, 1);
  await second.events(6);

  const [checkpoint] = second.frames;
  expect(checkpoint).toMatchObject({ event: 'checkpoint', id: applied?.id });
  const all = new Set([...early, ...late]);
  const seen = refreshIdsOf(given);
  const firstSeen = refreshIdsOf(applied ? [applied] : []);
  expect(new Set([...firstSeen, ...seen])).toEqual(all);
  expect(seen).toHaveLength(5);
  expect(refreshIdsOf(await second.events(6)).at(-1)).toBe(live[0]);
  second.cut();
});

test('the list of events has the cursors of the stream, and resumes where it left off (Events list) [events-list]', async () => {
  const customer = await newReader();
  const reader = await customer.open();
  await reader.frame('checkpoint');
  await refreshed(customer, 3);
  const frames = await reader.events(3);
  const list = (query: string) =>
    customer.api.call({ path: `/v2/projects/${customer.projectId}/events${query}` });

  const page = (await list('?limit=2')).json.data;
  const rest = (await list(`?after=${page.pagination.next_cursor}`)).json.data;
  const fromStream = (await list(`?after=${frames[1]?.id}`)).json.data;

  const eventsOf = (of: { items: { event: { id: string } }[] }) =>
    of.items.map(({ event }) => event.id);
  const streamed = frames.map(({ data }) => JSON.parse(data).id);
  expect([...eventsOf(page), ...eventsOf(rest)]).toEqual(streamed);
  expect(page.pagination.has_more).toBe(true);
  expect(rest.pagination).toEqual({ has_more: false, next_cursor: null });
  expect(eventsOf(fromStream)).toEqual(streamed.slice(2));
  reader.cut();
});

test('what may not be read is refused before a stream opens, as plain HTTP (Authentication)', async () => {
  const customer = await newReader();
  const other = await newReader();
  const off = await newReader({ eventsEnabled: false });
  const wildcard = await stack.operator.newCredential(customer.projectId, { scopes: ['*'] });
  const reader = await other.open();
  const foreign = await reader.frame('checkpoint');
  const gatewayUrl = stack.gatewayUrl;
  const { projectId, secret: apiKey } = customer;

  const refusals = await Promise.all([
    openReader({ gatewayUrl, projectId, apiKey: 'inv_nobody' }),
    openReader({ gatewayUrl, projectId, apiKey: wildcard.secret }),
    off.open(),
    openReader({ gatewayUrl, projectId: other.projectId, apiKey }),
    openReader({ gatewayUrl, projectId, apiKey, lastEventId: foreign.id }),
    openReader({ gatewayUrl, projectId, apiKey, lastEventId: 'forged' }),
    openReader({ gatewayUrl, projectId, apiKey, lastEventId: 'x'.repeat(300) }),
    openReader({ gatewayUrl, projectId, apiKey, headers: { accept: 'application/json' } }),
  ]);
  const seen = await Promise.all(
    refusals.map(async (refused) => [refused.status, (await errorOf(refused)).code]),
  );

  expect(seen).toEqual([
    [401, 'invalid_api_key'],
    [403, 'permission_denied'],
    [403, 'permission_denied'],
    [404, 'project_not_found'],
    [422, 'invalid_cursor'],
    [422, 'invalid_cursor'],
    [422, 'invalid_cursor'],
    [406, 'not_acceptable'],
  ]);
  expect((await errorOf(refusals[2] as StreamReader)).detail).toEqual({
    reason: 'events_not_enabled',
  });
  reader.cut();
});

test.each([
  ['credential_revoked', (one: ReadingCustomer) => stack.operator.revoke(one.credentialId)],
  [
    'owner_suspended',
    (one: ReadingCustomer) =>
      stack.operator.call('changeAccount', { account_id: one.accountId, state: 'suspended' }),
  ],
  [
    'permission_removed',
    (one: ReadingCustomer) =>
      stack.operator.call('changeCredential', { credential_id: one.credentialId, scopes: ['*'] }),
  ],
  [
    'network_policy',
    (one: ReadingCustomer) =>
      stack.operator.call('changeProject', {
        project_id: one.projectId,
        network_policy: ['192.0.2.0/24'],
      }),
  ],
  [
    'events_not_enabled',
    (one: ReadingCustomer) => stack.operator.switchEvents(one.accountId, false),
  ],
] as const)('%s ends open streams at both gateways (Authentication)', async (reason, change) => {
  const customer = await newReader();
  const readers = await Promise.all([customer.open(undefined, 0), customer.open(undefined, 1)]);
  await Promise.all(readers.map((reader) => reader.frame('checkpoint')));

  await change(customer);
  const frames = await Promise.all(
    readers.map((reader) => reader.frame('stream.authorization_revoked')),
  );

  expect(frames.map(({ data }) => JSON.parse(data))).toEqual([{ reason }, { reason }]);
  expect(frames.map(({ id }) => id)).toEqual([undefined, undefined]);
  await waitFor('the connections end', () => readers.every((reader) => reader.ended()));
});
