import { randomBytes } from 'node:crypto';
import type { ProjectId } from '@inventory/contracts/ids';
import { connectMongo } from '@inventory/mongo/connect';
import { createTextSealer } from '@inventory/runtime/text-sealer';
import { testLogger } from '@inventory/testkit/namespace';
import { startTestService } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import { startEventStream } from '../src/start-event-stream.ts';
import { createEndpointStore } from '../src/webhooks/endpoint-store.ts';
import { openWebhookCollections } from '../src/webhooks/webhook-document.ts';
import { newCustomer, openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const [oldKey = '', newKey = '', lostKey = ''] = [1, 2, 3].map(() =>
  randomBytes(32).toString('base64url'),
);
const never = new AbortController().signal;
let world: WebhookWorld;

beforeAll(async () => {
  world = await openWebhookWorld({ secretKeys: [oldKey] });
});
afterAll(() => world.close());

/** Another replica, with these keys. */
function startWith(secretKeys: readonly string[]) {
  const webhooks = { ...world.config.webhooks, secretKeys };
  return startTestService({ config: { ...world.config, webhooks }, start: startEventStream });
}

async function openEndpoints() {
  const options = { ...world.config.mongodb, service: 'test', logger: testLogger };
  const { db, close } = await connectMongo(options);
  return { endpoints: openWebhookCollections(db).endpoints, close };
}

test('a new key before the old one re-encrypts every secret, and then the old one is not needed (Events: webhooks)', async () => {
  const made = await world.create(newCustomer(), '/reencrypted');
  const { endpoints, close } = await openEndpoints();
  const alone = createTextSealer([newKey]);

  const replaced = await startWith([newKey, oldKey]);
  await waitFor('the secret is encrypted with the new key', async () => {
    const [endpoint] = await endpoints.find({}).toArray();
    return endpoint?.secrets.every(({ sealed }) => alone.isCurrent(sealed, endpoint.endpointId));
  });
  await replaced.stop();

  const kept = await createEndpointStore(endpoints, alone, testLogger).listEndpoints(
    made.projectId as ProjectId,
  );
  expect(kept.map(({ secrets }) => secrets.map(({ secret }) => secret))).toEqual([[made.secret]]);
  await close();
});

test('a secret that no key decrypts is not changed, for the key that may be configured again (Events: webhooks)', async () => {
  await world.create(newCustomer(), '/unreadable');
  const { endpoints, close } = await openEndpoints();
  const stored = async () => {
    const found = await endpoints.find({}).sort({ _id: 1 }).toArray();
    return found.map(({ endpointId, secrets }) => ({ endpointId, secrets }));
  };
  const before = await stored();

  const store = createEndpointStore(endpoints, createTextSealer([lostKey]), testLogger);
  const done = await store.reencryptSecrets(Date.now(), never);

  expect(done).toEqual({ endpoints: 0, unreadable: before.length });
  expect(await stored()).toEqual(before);
  await close();
});
