import { projectEvent } from '@inventory/contracts/http/project-event';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  type ReceivedHook,
  startReceiver,
} from '../../services/event-stream/test/support/http-receiver.ts';
import { verifyHook } from '../../services/event-stream/test/support/verify-hook.ts';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const scopes = [
  '*',
  'customer.events.read.v1',
  'customer.webhooks.manage.v1',
  'customer.account.read.v1',
];
let stack: TestStack;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let serial = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  stack = await openTestStack({
    replicas: { gateway: 2, 'event-stream': 2 },
    serviceEnvironment: {
      'event-stream': {
        WEBHOOK_RETRY_SCHEDULE_MS: '200,500,1000',
        WEBHOOK_TIMEOUT_MS: '10000',
        WEBHOOK_CLAIM_MS: '12000',
        WEBHOOK_SWEEP_EVERY_MS: '1000',
      },
    },
  });
});
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
});
beforeEach(() => receiver.answerWith(() => ({ status: 204 })));

interface Subscriber extends Customer {
  readonly path: string;
  readonly endpointId: string;
  readonly endpointSecret: string;
  readonly hooksPath: string;
}

/** A customer with events, and an endpoint at a path of its own. */
async function subscriber(types = ['inventory.refresh.completed']): Promise<Subscriber> {
  const customer = await stack.operator.newCustomer();
  const { accountId, projectId } = customer;
  await stack.operator.call('PUT', `/accounts/${accountId}/events`, { enabled: true });
  const credential = await stack.operator.newCredential(projectId, { scopes });
  serial += 1;
  const path = `/customer-${serial}`;
  const hooksPath = `/v2/projects/${projectId}/webhook-endpoints`;
  const body = { url: `${receiver.url}${path}`, types };
  const created = await credential.api.call({ method: 'POST', path: hooksPath, body });
  expect(created.status).toBe(201);
  const { endpoint_id: endpointId, secret: endpointSecret } = created.json.data;
  return { ...customer, ...credential, path, endpointId, endpointSecret, hooksPath };
}

/** One-page refreshes, completed. */
async function refreshed({ api, projectId }: Subscriber, count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    serial += 1;
    ids.push(await api.accepted(sizeScope(5, serial)));
  }
  await untilCompleted(api, projectId, ids);
  return ids;
}

const arrived = (path: string, times: number) =>
  waitFor(`${times} webhooks reach ${path}`, () => {
    const hooks = receiver.of(path);
    return hooks.length >= times && hooks;
  });

function verified({ endpointSecret }: Subscriber, hook: ReceivedHook | undefined) {
  return projectEvent.parse(verifyHook(endpointSecret, hook));
}

const eventsOf = async ({ api, projectId }: Subscriber) => {
  const { json } = await api.call({ path: `/v2/projects/${projectId}/events` });
  return json.data.items.map(({ event }: { event: unknown }) => event);
};

test('every refresh reaches the endpoint once, signed, as the same JSON that the log holds (Events: webhooks)', async () => {
  const customer = await subscriber();

  await refreshed(customer, 5);
  const hooks = await arrived(customer.path, 5);

  const told = hooks.map((hook) => verified(customer, hook));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(told.sort(byId)).toEqual((await eventsOf(customer)).sort(byId));
  expect(hooks.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
    told.map(({ id }) => id).sort(),
  );
});

test('an event-stream that is killed between sending and its record sends again, with the same id and the same bytes (Events: webhooks)', async () => {
  const customer = await subscriber();
  let kills: Promise<unknown> | undefined;
  receiver.answerWith(async () => {
    kills ??= Promise.all(
      stack.replicasOf('event-stream').map((replica) => replica.kill('SIGKILL')),
    );
    await kills;
    return { status: 204 };
  });

  serial += 1;
  await customer.api.accepted(sizeScope(5, serial));
  const [first, second] = await arrived(customer.path, 2);
  const delivery = await waitFor('the delivery is recorded', async () => {
    const path = `${customer.hooksPath}/${customer.endpointId}/deliveries`;
    const { json } = await customer.api.call({ path });
    return json?.data?.items?.find(({ state }: { state: string }) => state === 'delivered');
  });

  expect(verified(customer, first)).toEqual(verified(customer, second));
  expect(first?.raw).toEqual(second?.raw);
  expect(delivery.event_id).toBe(first?.headers['webhook-id']);
});

test('without events nothing is sent, and what was appended meanwhile once they are back (Tenancy)', async () => {
  const customer = await subscriber();
  await refreshed(customer);
  await arrived(customer.path, 1);
  const events = (enabled: boolean) =>
    stack.operator.call('PUT', `/accounts/${customer.accountId}/events`, { enabled });

  await events(false);
  const changedMs = Date.now();
  await waitFor('a gateway knows', async () => {
    const answer = await customer.api.call({ path: `/v2/projects/${customer.projectId}/events` });
    return answer.status === 403;
  });
  await waitFor('every replica may be expected to', () => Date.now() - changedMs > 2_000);
  await refreshed(customer, 2);
  const whileOff = receiver.of(customer.path).length;
  await events(true);
  const hooks = await arrived(customer.path, 3);

  expect(whileOff).toBe(1);
  expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
});

test('an endpoint that went away is disabled; mended, an operator switches it on and has it sent what it missed (Operating surface: webhooks)', async () => {
  const customer = await subscriber();
  const { projectId, endpointId, api, hooksPath } = customer;
  const operator = (verb: string, ...args: string[]) =>
    runOperator({ OPERATOR_URL: stack.operatorUrl, OPERATOR_TOKEN: stack.operatorToken }, [
      'webhook',
      verb,
      ...['--project', projectId, '--endpoint', endpointId],
      ...args,
      '--json',
    ]);
  const began = new Date().toISOString();
  receiver.answerWith(() => ({ status: 410 }));
  await refreshed(customer);
  const disabled = await waitFor('the endpoint is disabled', async () => {
    const { json } = await api.call({ path: `${hooksPath}/${endpointId}` });
    return json.data.state === 'disabled' && json.data;
  });
  await refreshed(customer, 2);
  const tried = receiver.of(customer.path).length;
  receiver.answerWith(() => ({ status: 204 }));

  const ends = [
    await operator('test'),
    await operator('enable'),
    await operator('redeliver', '--since', began),
  ];
  const hooks = await arrived(customer.path, tried + 4);

  expect(disabled.disabled_reason).toBe('gone');
  expect(tried).toBe(1);
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ends[2]?.json).toEqual({ redelivered: 3, continue_since: null });
  const bodies = hooks.slice(1).map(({ raw }) => JSON.parse(raw.toString()));
  expect(bodies.filter(({ type }) => type === 'webhook.ping')).toHaveLength(1);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(4);
});

test('a balance that falls below the alert is told on the stream and by webhook (Events: account.balance.low)', async () => {
  const customer = await subscriber(['account.balance.low']);
  const { available } = await stack.operator.balance(customer.accountId);
  const body = { threshold: available };
  await customer.api.call({ method: 'PUT', path: '/v2/account/balance-alert', body });

  await refreshed(customer);
  const [hook] = await arrived(customer.path, 1);

  const event = verified(customer, hook);
  expect(event).toMatchObject({
    type: 'account.balance.low',
    project_id: customer.projectId,
    data: { threshold: available },
    links: { account: '/v2/account' },
  });
  expect(await eventsOf(customer)).toContainEqual(event);
});

test('the endpoints of a Project are nothing to the Credentials of another (Events: webhooks)', async () => {
  const [one, other] = [await subscriber(), await subscriber()];
  const path = `${one.hooksPath}/${one.endpointId}`;

  const answers = await Promise.all(
    [path, `${path}/deliveries`].map((foreign) => other.api.call({ path: foreign })),
  );

  expect(answers.map(({ status, json }) => [status, json.error.code])).toEqual(
    Array(2).fill([404, 'project_not_found']),
  );
});
