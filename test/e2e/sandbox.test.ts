import { streamFrames } from '@inventory/contracts/http/stream-frames';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { awaitConsumed } from '@inventory/messaging/kafka/await-consumed';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { expectBalancedBooks } from './support/books.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { inventoryPath } from './support/public-api.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { createSimulatorControl, inSandbox, sizeScope } from './support/simulator-control.ts';
import { openReader } from './support/stream-reader.ts';

const stack = openSharedStack();
const platform = createSimulatorControl(stack.simulatorUrl);
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver?.close();
  await stack.close();
});

const serial = 880_000;
const scopes = ['*', 'customer.events.read.v1', 'customer.webhooks.manage.v1'];

interface Side extends Pick<Customer, 'accountId' | 'projectId' | 'api' | 'secret'> {
  readonly environment: 'live' | 'sandbox';
  readonly scopeOf: (assets: number, offset: number) => InventoryKey;
}

/** A live account and its sandbox, each with a webhook endpoint. */
async function newSides(): Promise<[live: Side, twin: Side]> {
  const customer = await stack.operator.newCustomer();
  const account_id = customer.accountId;
  await stack.operator.switchEvents(account_id, true);
  const made = await stack.operator.call('createSandbox', { account_id });
  await stack.operator.limitRate(made.account.account_id, 1_000_000);
  const sides = [
    { environment: 'live', accountId: account_id, projectId: customer.projectId },
    {
      environment: 'sandbox',
      accountId: made.account.account_id,
      projectId: made.project.project_id,
    },
  ] as const;
  const [live, twin] = await Promise.all(
    sides.map(async (side): Promise<Side> => {
      const { environment, projectId } = side;
      const credential = await stack.operator.newCredential(projectId, { scopes });
      const body = { url: `${receiver.url}/${projectId}`, types: ['inventory.refresh.completed'] };
      const path = `/v2/projects/${projectId}/webhook-endpoints`;
      const created = await credential.api.call({ method: 'POST', path, body });
      expect(created.status).toBe(201);
      const scopeOf = (assets: number, offset: number) => {
        const scope = sizeScope(assets, serial + offset);
        return environment === 'live' ? scope : inSandbox(scope);
      };
      return { ...side, ...credential, scopeOf };
    }),
  );
  if (!live || !twin) throw new Error('two sides are made');
  return [live, twin];
}

const environmentsIn = (metas: readonly { readonly environment?: string }[]) =>
  new Set(metas.map(({ environment }) => environment));

test('a live account and its sandbox refresh and read beside each other: each has its own environment, inventories, events and charges (Sandbox) [sandbox]', async () => {
  const sides = await newSides();
  const [gatewayUrl = ''] = stack.gatewayUrls;

  await Promise.all(
    sides.map(async ({ environment, api, projectId, secret, scopeOf }) => {
      const reader = await openReader({ gatewayUrl, projectId, apiKey: secret });
      await reader.frame('checkpoint');
      const scope = scopeOf(2_001, 1);
      const live = await api.call({ path: inventoryPath(scope) });
      const accepted = await api.refresh(scope);
      const id = accepted.json.data.refresh_id;
      const [frame] = await reader.events(1);
      reader.cut();
      await untilCompleted(api, projectId, [id]);
      const [status, current] = [await api.status(id), await api.current(scope)];

      const answers = [live, accepted, status, current];
      expect(answers.map((answer) => answer.status)).toEqual([200, 202, 200, 200]);
      expect(environmentsIn(answers.map(({ json }) => json.meta))).toEqual(new Set([environment]));
      expect(status.json.data.outcome).toBe('complete_changed');
      expect(current.json.data.total_count).toBe(2_001);
      const event = JSON.parse(frame?.data ?? '');
      expect(event).toMatchObject({ environment, data: { refresh_id: id, scope } });
      const [hook] = await waitFor('the webhook arrives', () => {
        const hooks = receiver.of(`/${projectId}`);
        return hooks.length > 0 && hooks;
      });
      expect(hook?.headers['inventory-environment']).toBe(environment);
      expect(JSON.parse(String(hook?.raw))).toEqual(event);
    }),
  );

  for (const [own, other] of [sides, sides.toReversed()] as const) {
    if (!own || !other) throw new Error('two sides are made');
    const path = inventoryPath(other.scopeOf(2_001, 1));
    for (const end of ['', '/current', '/summary']) {
      expect((await own.api.call({ path: path + end })).status).toBe(422);
    }
    const { json } = await own.api.list(own.projectId);
    const [{ refresh_id: id }] = json.data.items;
    expect((await other.api.status(id)).status).toBe(404);
    const { charged } = await expectBalancedBooks(stack, own, [id]);
    expect(charged).toBe(2);
  }
  expect(await stack.operator.verify()).toMatchObject({ ok: true });
});

/** Every record until now was delivered to the collector of the environment. */
async function delivered(environment: Side['environment']): Promise<void> {
  const { topicPrefix } = stack;
  // biome-ignore lint/style/noProcessEnv: set by Jest's global setup.
  const brokers = String(process.env['KAFKA_BROKERS']).split(',');
  const group = { service: 'refresh-collector', environment } as const;
  await awaitConsumed({ brokers, topicPrefix, logger: testLogger, ...group });
}

test('a hold survives the delivery of its outcome to the collector of the other environment, and is charged to its own account alone (Sandbox) [sandbox]', async () => {
  const sides = await newSides();

  for (const { environment, accountId, projectId, api, scopeOf } of sides) {
    const scope = scopeOf(3, 2);
    await platform.hold(scope);
    const id = await api.accepted(scope);

    await delivered(environment === 'live' ? 'sandbox' : 'live');

    const holds = await stack.operator.openHolds(accountId);
    expect(holds.map(({ refresh_id }) => refresh_id)).toEqual([id]);
    await platform.release(scope);
    await untilCompleted(api, projectId, [id]);
    const { charged } = await expectBalancedBooks(stack, { accountId, projectId, api }, [id]);
    expect(charged).toBe(1);
  }
});

const eventTypes = Object.keys(streamFrames).filter(
  (type) => !/^(checkpoint|stream[.])/.test(type),
);

test('state verbs put a sandbox into each state by the ordinary operations, and its live account into none (Sandbox: state verbs) [sandbox]', async () => {
  const [live, twin] = await newSides();
  const { api, projectId, secret } = twin;
  const verb = (path: string, body?: object) =>
    api.call({ method: 'POST', path: `/v2/sandbox/${path}`, ...(body && { body }) });
  const scope = twin.scopeOf(3, 3);
  const inventory = `${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  const [gatewayUrl = ''] = stack.gatewayUrls;
  const read = { gatewayUrl, projectId, apiKey: secret };
  const reader = await openReader(read);
  await reader.frame('checkpoint');

  // Each type of event is on the stream, in the list and, where an endpoint subscribes to it, sent.
  for (const type of eventTypes) {
    const { event_id } = (await verb('events', { type })).json.data;
    const frame = await reader.frame(type);
    expect(JSON.parse(frame.data)).toMatchObject({ id: event_id, environment: 'sandbox' });
  }
  await waitFor('the webhook arrives', () => receiver.of(`/${projectId}`).length > 0);

  // A watch runs now; with an exhausted cap it pauses, and purchases are refused.
  const watch = `/v2/projects/${projectId}/watches/${inventory}`;
  await api.call({ method: 'PUT', path: watch, body: { every_seconds: 604_800 } });
  const untilWatch = async (field: string, expected: string) => {
    expect((await verb(`watches/${inventory}/run`)).status).toBe(202);
    await waitFor(`${field} of the watch`, async () => {
      const { data } = (await api.call({ path: watch })).json;
      return data[field] === expected;
    });
  };
  await untilWatch('last_outcome', 'complete_changed');
  expect((await verb('spend-cap', { cap: 0 })).json.data).toEqual({ cap: 0 });
  const refused = await api.refresh(twin.scopeOf(3, 4));
  expect([refused.status, refused.json.error.code]).toEqual([402, 'spend_cap_reached']);
  await untilWatch('paused_reason', 'spend_cap_reached');
  await verb('spend-cap', { cap: null });
  await api.accepted(twin.scopeOf(3, 4));

  // What is saved ages, and is answered so.
  const { age_seconds } = (await api.current(scope)).json.data;
  await verb(`inventories/${inventory}/age`, { seconds: 5_000 });
  const aged = (await api.current(scope)).json.data;
  expect(aged.age_seconds).toBeGreaterThanOrEqual(age_seconds + 5_000);
  await verb(`inventories/${inventory}/age`, { seconds: 180 * 86_400 });
  expect((await api.current(scope)).json.error.code).toBe('inventory_revision_not_found');

  // A cursor is of an earlier log.
  const { cursor } = (await verb('expired-cursor')).json.data;
  const list = await api.call({ path: `/v2/projects/${projectId}/events?after=${cursor}` });
  expect([list.status, list.json.error.code]).toEqual([410, 'cursor_expired']);
  const resumed = await openReader({ ...read, lastEventId: cursor });
  expect(JSON.parse((await resumed.frame('stream.recovery_required')).data)).toMatchObject({
    resume_cursor: list.json.error.detail.resume_cursor,
  });

  // An endpoint is disabled.
  const hooks = `/v2/projects/${projectId}/webhook-endpoints`;
  const [{ endpoint_id }] = (await api.call({ path: hooks })).json.data.items;
  expect((await verb(`webhook-endpoints/${endpoint_id}/fail`)).json.data).toMatchObject({
    state: 'disabled',
    disabled_reason: 'failing',
  });

  reader.cut();
  const path = `/v2/projects/${live.projectId}/events`;
  expect((await live.api.call({ path })).json.data.items).toEqual([]);
  expect(
    (await stack.operator.call('readTerms', { account_id: live.accountId })).spend_caps,
  ).toEqual([]);
  expect(await stack.operator.verify()).toMatchObject({ ok: true });
});
