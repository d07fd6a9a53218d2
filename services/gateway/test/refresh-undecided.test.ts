import { BusOverloaded, type MessageBus } from '@inventory/messaging/bus';
import { createReplyBox } from '@inventory/messaging/reply-box';
import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { refreshPathOf } from './support/paths.ts';
import {
  type GatewayWorld,
  impatientLimits,
  openWorld,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './support/test-gateway.ts';

let world: GatewayWorld;

async function start(options: TestGatewayOptions = {}) {
  return await startTestGateway(world, { limits: impatientLimits, ...options });
}

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => world?.reset());
afterAll(() => world?.close());

const pendingCancel = (refreshId: string) =>
  world.records
    .collection<{ _id: string; epoch: number }>('pending_cancels')
    .findOne({ _id: refreshId });

const cancelsOf = (refreshId: string) =>
  world.collector.cancels.filter(({ refresh_id }) => refresh_id === refreshId);

function post(gateway: TestGateway, key: string, idempotencyKey?: string) {
  return gateway.call({
    method: 'POST',
    path: refreshPathOf(newScope()),
    key,
    body: { max_credits: 125 },
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  });
}

test('an undecided refresh without a key is named and cancelled for good (Refresh: key)', async () => {
  const gateway = await start();
  const { key } = world.issue();
  world.collector.decide = () => null;

  const answer = await post(gateway, key);

  expect([answer.status, answer.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(answer.headers['retry-after']).toBeDefined();
  const refreshId = answer.json.error.detail.refresh_id;
  expect(answer.json.error.detail).toEqual({ outcome: 'unknown', refresh_id: refreshId });
  await waitFor(
    'the cancel is acknowledged',
    async () => (await pendingCancel(refreshId)) === null,
  );
  expect(cancelsOf(refreshId)).toHaveLength(1);
});

test('the cancel is durable before the 503 is written, and another replica sends it on', async () => {
  const first = await start();
  const { key } = world.issue();
  world.collector.decide = () => null;
  world.collector.answerCancel = () => null;

  const answer = await post(first, key);
  const refreshId = answer.json.error.detail.refresh_id;
  expect(await pendingCancel(refreshId)).toMatchObject({ _id: refreshId });
  await waitFor('the first replica sent it', () => cancelsOf(refreshId).length === 1);
  await first.stop();

  world.collector.reset();
  await start();
  await waitFor(
    'another replica takes it over and sees the acknowledgement',
    async () => (await pendingCancel(refreshId)) === null,
  );
  expect(cancelsOf(refreshId).length).toBeGreaterThanOrEqual(2);
});

test('an undecided refresh with a key is left alone, and the key finds it', async () => {
  const [gateway, patient] = await Promise.all([start(), startTestGateway(world)]);
  const { key } = world.issue();
  const scope = newScope();
  const call = {
    method: 'POST',
    path: refreshPathOf(scope),
    key,
    body: { max_credits: 125 },
    headers: { 'Idempotency-Key': 'lost decision' },
  };
  const { decide } = world.collector;
  let refreshId = '';
  // The refresh is admitted, and the decision on it is lost.
  world.collector.decide = async (request) => {
    refreshId = request.refresh_id;
    await decide(request);
    return null;
  };

  const lost = await gateway.call(call);
  await waitFor('it is admitted', () => world.collector.views.has(refreshId));
  world.collector.reset();
  const found = await patient.call(call);

  expect([lost.status, lost.json.error.detail]).toEqual([503, { outcome: 'unknown' }]);
  expect([found.status, found.json.data.refresh_id]).toEqual([202, refreshId]);
  expect(found.headers['idempotency-replayed']).toBe('true');
  expect(cancelsOf(refreshId)).toEqual([]);
});

test('a decision after the timeout changes nothing: the attempt is cancelled all the same', async () => {
  const gateway = await start();
  const { key } = world.issue();
  const { decide } = world.collector;
  world.collector.decide = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return await decide(request);
  };

  const answer = await post(gateway, key);
  const refreshId = answer.json.error.detail.refresh_id;

  expect(answer.status).toBe(503);
  await waitFor('it is cancelled', async () => (await pendingCancel(refreshId)) === null);
});

describe('what cannot be sent', () => {
  /** The message bus of a gateway, with one thing wrong. */
  async function startWith(wrong: Partial<MessageBus>): Promise<TestGateway> {
    return await start({
      channelOf: async (bus) => {
        const replies = await createReplyBox(bus, 'gateway');
        return { bus: { publish: bus.publish, health: () => bus.health(), ...wrong }, replies };
      },
    });
  }

  test('a full producer refuses at once, and a key stays free', async () => {
    const publish = () => Promise.reject(new BusOverloaded('refresh.commands.v1'));
    const gateway = await startWith({ publish });
    const { key } = world.issue();

    const answer = await post(gateway, key, 'free');

    expect([answer.status, answer.json.error.code]).toEqual([503, 'service_unavailable']);
    expect(answer.json.error.detail).toBeUndefined();
  });

  test('nothing is sent while replies could not be heard', async () => {
    const health = () => ({ ready: false, alive: true, problems: ['not joined'] });
    const gateway = await startWith({ health });
    const { key, authority } = world.issue();

    const answer = await post(gateway, key);

    expect([answer.status, answer.json.error.detail]).toEqual([503, undefined]);
    const sent = world.collector.requests.filter(
      ({ project_id }) => project_id === authority.projectId,
    );
    expect(sent).toEqual([]);
  });

  test('a broker that takes nothing leaves the outcome unknown, within the decision timeout', async () => {
    const gateway = await startWith({ publish: () => new Promise(() => undefined) });
    const { key } = world.issue();
    // Gateways of other tests send what is owed too, and forget what is answered.
    world.collector.answerCancel = () => null;
    const startMs = performance.now();

    const answer = await post(gateway, key);

    expect(answer.json.error.detail).toMatchObject({ outcome: 'unknown' });
    expect(performance.now() - startMs).toBeLessThan(4_000);
    expect(await pendingCancel(answer.json.error.detail.refresh_id)).not.toBeNull();
  });
});
