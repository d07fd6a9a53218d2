import { waitFor } from '@inventory/testkit/wait-for';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { openSharedStack } from './support/shared-stack.ts';
import { openWebhookStory, type WebhookStory } from './support/webhook-story.ts';

const stack = openSharedStack();
let story: WebhookStory;

beforeAll(async () => {
  story = await openWebhookStory(() => stack.operator, 90_000);
});
afterAll(async () => {
  await stack.close();
  await story?.receiver.close();
});
beforeEach(() => story.receiver.respondWith(() => ({ status: 204 })));

test('every refresh reaches the endpoint once, signed, as the same JSON that the log holds (Events: webhooks)', async () => {
  const customer = await story.subscriber();

  await story.refreshed(customer, 5);
  const hooks = await story.arrived(customer.path, 5);

  const received = hooks.map((hook) => story.verified(customer, hook));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(received.sort(byId)).toEqual((await story.eventsOf(customer)).sort(byId));
  expect(hooks.map(({ headers }) => headers['webhook-id']).sort()).toEqual(
    received.map(({ id }) => id).sort(),
  );
});

test('what is appended while events are switched off is sent once they are back (Tenancy) [events-switched-off]', async () => {
  const customer = await story.subscriber();
  const events = (enabled: boolean) => stack.operator.switchEvents(customer.accountId, enabled);

  await events(false);
  await waitFor('the gateway refuses the list', async () => {
    const response = await customer.api.call({ path: `/v2/projects/${customer.projectId}/events` });
    return response.status === 403;
  });
  const [id] = await story.refreshed(customer);
  await events(true);
  const [hook] = await story.arrived(customer.path, 1);

  expect(story.verified(customer, hook).data).toMatchObject({ refresh_id: id });
});

test('an endpoint that went away is disabled; mended, an operator switches it on and has it sent what it missed (Operating surface: webhooks)', async () => {
  const customer = await story.subscriber();
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
  story.receiver.respondWith(() => ({ status: 410 }));
  await story.refreshed(customer);
  const disabled = await waitFor('the endpoint is disabled', async () => {
    const { json } = await api.call({ path: `${hooksPath}/${endpointId}` });
    return json.data.state === 'disabled' && json.data;
  });
  await story.refreshed(customer, 2);
  const tried = story.receiver.of(customer.path).length;
  story.receiver.respondWith(() => ({ status: 204 }));

  const ends = [
    await operator('test'),
    await operator('enable'),
    await operator('redeliver', '--since', began),
  ];
  const hooks = await story.arrived(customer.path, tried + 4);

  expect(disabled.disabled_reason).toBe('gone');
  expect(tried).toBe(1);
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ends[2]?.json).toEqual({ redelivered: 3, continue_since: null });
  const bodies = hooks.slice(1).map(({ raw }) => JSON.parse(raw.toString()));
  expect(bodies.filter(({ type }) => type === 'webhook.ping')).toHaveLength(1);
  expect(new Set(bodies.map(({ id }) => id)).size).toBe(4);
});

test('a balance that falls below the alert is an event on the stream and by webhook (Events: account.balance.low)', async () => {
  const customer = await story.subscriber(['account.balance.low']);
  const { available } = await stack.operator.balance(customer.accountId);
  const body = { threshold: available };
  await customer.api.call({ method: 'PUT', path: '/v2/account/balance-alert', body });

  await story.refreshed(customer);
  const [hook] = await story.arrived(customer.path, 1);

  const event = story.verified(customer, hook);
  expect(event).toMatchObject({
    type: 'account.balance.low',
    project_id: customer.projectId,
    data: { threshold: available },
    links: { account: '/v2/account' },
  });
  expect(await story.eventsOf(customer)).toContainEqual(event);
});
