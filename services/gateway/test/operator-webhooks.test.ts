import type { webhookDelivery } from '@inventory/contracts/http/webhooks';
import { newProjectId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import type { z } from 'zod';
import { createWatchStore } from '../src/watches/watch-store.ts';
import { fakeSecret } from './support/fake-webhooks.ts';
import { world } from './support/file-operator-world.ts';
import { runOperator } from './support/operator-command.ts';
import { patientDeadlines } from './support/patience.ts';
import { watchOf } from './support/watch-of.ts';

let projectId: string;
let endpointId: string;

beforeAll(async () => {
  const account = await world.tenancy.createAccount({ name: 'Trader' });
  const project = await world.tenancy.createProject({ accountId: account.accountId, name: null });
  projectId = project.projectId;
});
beforeEach(() => {
  endpointId = `whe_${newRefreshId()}`;
});
afterEach(() => world.webhooks.reset());

const named = () => ['--project', projectId, '--endpoint', endpointId];
const run = (...args: string[]) =>
  runOperator({ OPERATOR_URL: world.url, OPERATOR_TOKEN: world.token }, [...args, '--json']);
const asked = () => world.webhooks.asked.map(({ method, path, body }) => [method, path, body]);
const pathOf = (rest = '') => `/projects/${projectId}/webhook-endpoints/${endpointId}${rest}`;

test('every verb reaches the endpoint that is named (Operating surface: webhooks) [operator-api]', async () => {
  const before = asked().length;
  const since = '2026-11-21T10:00:00.000Z';

  const ends = [
    await run('webhook', 'list', '--project', projectId),
    await run('webhook', 'show', ...named()),
    await run('webhook', 'disable', ...named()),
    await run('webhook', 'enable', ...named()),
    await run('webhook', 'rotate-secret', ...named(), '--overlap-seconds', '60', '--key', 'k'),
    await run('webhook', 'test', ...named()),
    await run('webhook', 'redeliver', ...named(), '--since', since),
    await run('webhook', 'redeliver', ...named(), '--event', `evt_${newRefreshId()}`),
    await run('webhook', 'deliveries', ...named(), '--state', 'failed', '--from', since),
    await run('webhook', 'delete', ...named()),
  ];

  expect(ends.map(({ code, err }) => [code, code === 0 ? '' : err])).toEqual(
    ends.map(() => [0, '']),
  );
  expect(ends[4]?.json.secret).toBe(fakeSecret);
  expect(asked().slice(before)).toEqual([
    ['GET', `/projects/${projectId}/webhook-endpoints`, {}],
    ['GET', pathOf(), {}],
    ['PUT', pathOf(), { state: 'disabled' }],
    ['PUT', pathOf(), { state: 'enabled' }],
    ['POST', pathOf('/rotate-secret'), { overlap_seconds: 60, force: false, idempotency_key: 'k' }],
    ['POST', pathOf('/test'), {}],
    ['POST', pathOf('/redeliver'), { since }],
    ['POST', pathOf('/redeliver'), { event_id: expect.stringMatching(/^evt_/) }],
    ['GET', pathOf('/deliveries'), {}],
    ['DELETE', pathOf(), {}],
  ]);
});

test('deliveries are listed on from the cursor that was given, and from no other (Operating surface: webhooks)', async () => {
  const position = `001795292355407/evt_${newRefreshId()}`;
  const items: z.input<typeof webhookDelivery>[] = [];
  world.webhooks.deliveries = { items, next_before: position };
  const path = pathOf('/deliveries');

  const first = await world.call({ path: `${path}?limit=1` });
  await world.call({ path: `${path}?cursor=${first.json.next_cursor}` });
  const before = world.webhooks.asked.at(-1)?.query['before'];
  const forged = await world.call({ path: `${path}?cursor=forged` });

  expect(first.json).toEqual({ items: [], next_cursor: expect.any(String) });
  expect(before).toBe(position);
  expect([forged.status, forged.json.error.code]).toEqual([422, 'invalid_cursor']);
});

test('what is not there has a code of its own (Operating surface: webhooks)', async () => {
  const unknown = await world.call({ path: `/projects/${newProjectId()}/webhook-endpoints` });
  world.webhooks.refusal = { code: 'webhook_endpoint_not_found' };
  const endpoint = await world.call({ path: pathOf() });
  world.webhooks.refusal = { code: 'event_not_found' };
  const body = { event_id: `evt_${newRefreshId()}` };
  const event = await world.call({ method: 'POST', path: pathOf('/redeliver'), body });
  world.webhooks.refusal = { code: 'concurrent_change' };
  const changed = await world.call({ method: 'PATCH', path: pathOf(), body: { state: 'enabled' } });

  expect(
    [unknown, endpoint, event, changed].map(({ status, json }) => [status, json.error.code]),
  ).toEqual([
    [404, 'project_not_found'],
    [404, 'webhook_endpoint_not_found'],
    [404, 'event_not_found'],
    [409, 'concurrent_change'],
  ]);
});

test('watches are listed and shown, paused and resumed, and both are in the audit (Operator verbs for watches) [operator-api, watches]', async () => {
  const project_id = projectId as `prj_${string}`;
  const watches = createWatchStore(world.db, patientDeadlines, testLogger);
  const stored = [1, 2, 3].map((at) => watchOf(at, project_id, Date.UTC(2099, 0)));
  for (const watch of stored) await watches.insertWatch(watch, 10);
  const all = `/projects/${project_id}/watches`;
  const { platform_id, app_id, context_id } = stored[1]?.scope ?? newScope();
  const one = `${all}/${platform_id}/${app_id}/${context_id}`;

  const first = (await world.call({ path: `${all}?limit=2` })).json;
  const rest = (await world.call({ path: `${all}?cursor=${first.next_cursor}` })).json;
  const listed = [...first.items, ...rest.items];
  expect(listed.map((item) => item.watch_id)).toEqual(stored.map(({ watchId }) => watchId));
  const shown = await world.call({ path: one });
  const ids = ['--platform-id', platform_id, '--app-id', '730', '--context-id', '2'];
  const printed = await run('watch', 'show', '--project', project_id, ...ids);
  expect([printed.err, printed.json]).toEqual(['', shown.json]);
  expect(shown.json).toEqual(listed[1]);
  expect(shown.json).toMatchObject({ project_id, state: 'active', paused_reason: null });

  const pause = () => world.call({ method: 'POST', path: `${one}/pause` });
  const paused = [await pause(), await pause()];
  const resumed = await world.call({ method: 'POST', path: `${one}/resume` });
  const reason = { state: 'paused', paused_reason: 'operator_paused' };
  expect(paused.map(({ json }) => json)).toMatchObject([reason, reason]);
  expect(resumed.json).toMatchObject({ state: 'active', paused_reason: null });
  const { items } = (await world.call({ path: '/audit?limit=100' })).json;
  const actions = items
    .filter(({ outcome }: { outcome: string }) => outcome === 'done')
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith('watch.'));
  expect(actions).toEqual(['watch.pause', 'watch.pause', 'watch.resume']);
  expect((await world.call({ path: `${all}/${platform_id}/1/1` })).json.error.code).toBe(
    'watch_not_found',
  );
});
