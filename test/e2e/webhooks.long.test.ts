import { waitFor } from '@inventory/testkit/wait-for';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';
import { openWebhookStory, type WebhookStory } from './support/webhook-story.ts';

let stack: TestStack;
let story: WebhookStory;

beforeAll(async () => {
  story = await openWebhookStory(() => stack.operator, 0);
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
  await story?.receiver.close();
});
beforeEach(() => story.receiver.respondWith(() => ({ status: 204 })));

test('an event-stream that is killed between sending and its record sends again, with the same id and the same bytes (Events: webhooks)', async () => {
  const customer = await story.subscriber();
  let kills: Promise<unknown> | undefined;
  story.receiver.respondWith(async () => {
    kills ??= Promise.all(
      stack.replicasOf('event-stream').map((replica) => replica.kill('SIGKILL')),
    );
    await kills;
    return { status: 204 };
  });

  await customer.api.accepted(sizeScope(5, 99_999));
  const [first, second] = await story.arrived(customer.path, 2);
  const delivery = await waitFor('the delivery is recorded', async () => {
    const path = `${customer.hooksPath}/${customer.endpointId}/deliveries`;
    const { json } = await customer.api.call({ path });
    return json?.data?.items?.find(({ state }: { state: string }) => state === 'delivered');
  });

  expect(story.verified(customer, first)).toEqual(story.verified(customer, second));
  expect(first?.raw).toEqual(second?.raw);
  expect(delivery.event_id).toBe(first?.headers['webhook-id']);
});
