import { BusOverloaded, type MessageBus } from '@inventory/messaging/bus';
import { newScope } from '@inventory/testkit/builders';
import { openReplicaSet, type Treatment } from '@inventory/testkit/replica-set';
import { waitFor } from '@inventory/testkit/wait-for';
import { clock, gateway, world } from './support/clocked-gateway.ts';
import { refused } from './support/fake-collector.ts';
import { refreshPathOf } from './support/paths.ts';
import { impatientLimits, patientDeadlines, patientLimits } from './support/patience.ts';
import { startTestGateway, type TestGateway } from './support/test-gateway.ts';

afterEach(() => void gateway?.cutReplies());

const pendingCancel = (refreshId: string) =>
  world.records
    .collection<{ _id: string; work: { tries: number } }>('pending_cancels')
    .findOne({ _id: refreshId });

const isAcknowledged = (refreshId: string) =>
  waitFor('the cancel is acknowledged', async () => (await pendingCancel(refreshId)) === null);

const cancelsOf = (refreshId: string) =>
  world.collector.cancels.filter((asked) => asked.refreshId === refreshId);

function post(at: TestGateway, key: string, idempotencyKey?: string, scope = newScope()) {
  return at.call({
    method: 'POST',
    path: refreshPathOf(scope),
    key,
    body: { max_credits: 125 },
    headers: idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey },
  });
}

/** Of a gateway whose commands are never answered. */
const unanswered = {
  limits: impatientLimits,
  deadlines: { ...patientDeadlines, pendingReplyMs: impatientLimits.decisionTimeoutMs },
};

test('an undecided refresh without a key is named and cancelled for good (Refresh: key) [undecided, cancel]', async () => {
  const impatient = await startTestGateway(world, { limits: impatientLimits });
  const { key } = world.issue();
  world.collector.decide = () => null;

  const response = await post(impatient, key);

  expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(response.headers['retry-after']).toBeDefined();
  const refreshId = response.json.error.detail.refresh_id;
  expect(response.json.error.detail).toEqual({ outcome: 'unknown', refresh_id: refreshId });
  await isAcknowledged(refreshId);
  expect(cancelsOf(refreshId)).toHaveLength(1);
  await impatient.stop();
});

test('the cancel is durable before the 503 is written, and another replica sends it on', async () => {
  const first = await startTestGateway(world, unanswered);
  const { key } = world.issue();
  world.collector.decide = () => null;
  world.collector.replyToCancel = () => null;

  const response = await post(first, key);
  const refreshId = response.json.error.detail.refresh_id;
  expect(await pendingCancel(refreshId)).toMatchObject({ _id: refreshId });
  await waitFor('a replica sent it', () => cancelsOf(refreshId).length === 1);
  await first.stop();
  gateway.cutReplies();
  expect(await pendingCancel(refreshId)).not.toBeNull();

  world.collector.reset();
  clock.advance(10_000);
  await isAcknowledged(refreshId);
  expect(cancelsOf(refreshId)).toHaveLength(2);
});

test('an attempt without a key whose gateway dies before it is answered is cancelled by another [undecided, cancel]', async () => {
  const dying = await startTestGateway(world, {
    deadlines: { ...patientDeadlines, storeMs: 5_000 },
  });
  const { key, principal } = world.issue();
  const { decide } = world.collector;
  const late = Promise.withResolvers<void>();
  world.collector.decide = async (request) => {
    await late.promise;
    return await decide(request);
  };
  const ofProject = ({ projectId }: { projectId: string }) => projectId === principal.projectId;

  const answering = post(dying, key);
  await waitFor('the collector has it', () => world.collector.requests.some(ofProject));
  const refreshId = world.collector.requests.find(ofProject)?.refreshId ?? '';
  expect(await pendingCancel(refreshId)).not.toBeNull();
  clock.advance(patientLimits.decisionTimeoutMs + 5_000);
  await waitFor('another sends its cancel', async () => {
    const cancel = await pendingCancel(refreshId);
    return cancel !== null && cancel.work.tries > 0;
  });
  // It lives after all, and its client must not take the cancelled refresh for accepted.
  late.resolve();
  const response = await answering;

  expect(response.json.error.detail).toEqual({ outcome: 'unknown', refresh_id: refreshId });
  await isAcknowledged(refreshId);
  await dying.stop();
});

test('a decided attempt without a key leaves no cancel behind [undecided, cancel]', async () => {
  const { key } = world.issue();
  const accepted = await post(gateway, key);
  world.collector.decide = () => refused({ code: 'service_unavailable', retry_after_seconds: 1 });
  const before = world.collector.requests.length;
  const closed = await post(gateway, key);

  expect([accepted.status, closed.status]).toEqual([202, 503]);
  expect(await pendingCancel(accepted.json.data.refresh_id)).toBeNull();
  expect(await pendingCancel(world.collector.requests[before]?.refreshId ?? '')).toBeNull();
  expect(cancelsOf(accepted.json.data.refresh_id)).toEqual([]);
});

test('an attempt without a key is decided where an election refuses the withdrawal of its cancel, or loses the answer, once there is a primary (Refresh: key) [undecided, cancel]', async () => {
  const refusal = { ok: 0, code: 10_107, errmsg: '', errorLabels: ['RetryableWriteError'] };
  let next: Treatment | undefined;
  const set = await openReplicaSet({
    target: world.namespace.mongodbUri,
    treat(command) {
      const treatment = next;
      if (command['delete'] !== 'pending_cancels' || treatment === undefined) return undefined;
      next = undefined;
      set.beginElection();
      setImmediate(set.endElection);
      return treatment;
    },
  });
  const electing = await startTestGateway(world, { mongodbUri: set.uri });
  const { key } = world.issue();

  for (const treatment of [{ response: refusal }, { isLost: true }]) {
    next = treatment;
    const response = await post(electing, key);

    expect([response.status, next]).toEqual([202, undefined]);
    const refreshId = response.json.data.refresh_id;
    expect([await pendingCancel(refreshId), cancelsOf(refreshId)]).toEqual([null, []]);
  }
  await electing.stop();
  await set.close();
});

test('an undecided refresh with a key is left alone, and the key finds it', async () => {
  const { key } = world.issue();
  const scope = newScope();
  const { decide } = world.collector;
  let refreshId = '';
  // The refresh is admitted, and the decision on it is lost.
  world.collector.decide = async (request) => {
    await decide(request);
    refreshId = request.refreshId;
    return null;
  };

  const losing = post(gateway, key, 'lost decision', scope);
  await waitFor('it is admitted', () => refreshId !== '');
  gateway.cutReplies();
  const lost = await losing;
  world.collector.reset();
  const found = await post(gateway, key, 'lost decision', scope);

  expect([lost.status, lost.json.error.detail]).toEqual([503, { outcome: 'unknown' }]);
  expect([found.status, found.json.data.refresh_id]).toEqual([202, refreshId]);
  expect(found.headers['idempotency-replayed']).toBe('true');
  expect(await pendingCancel(refreshId)).toBeNull();
  expect(cancelsOf(refreshId)).toEqual([]);
});

test('a decision after the timeout changes nothing: the attempt is cancelled all the same', async () => {
  const { key, principal } = world.issue();
  const { decide } = world.collector;
  const gate = Promise.withResolvers<void>();
  world.collector.decide = async (request) => {
    await gate.promise;
    return await decide(request);
  };

  const answering = post(gateway, key);
  await waitFor('the collector has it', () =>
    world.collector.requests.some(({ projectId }) => projectId === principal.projectId),
  );
  gateway.cutReplies();
  const response = await answering;
  gate.resolve();

  expect(response.status).toBe(503);
  await isAcknowledged(response.json.error.detail.refresh_id);
});

describe('what cannot be sent', () => {
  /** Posted at a gateway whose message bus has one thing wrong. */
  async function postWith(wrong: Partial<MessageBus>, key: string, idempotencyKey?: string) {
    const wrongly = await startTestGateway(world, { ...unanswered, wrongBus: () => wrong });
    const response = await post(wrongly, key, idempotencyKey);
    await wrongly.stop();
    return response;
  }

  test('a full producer refuses at once, and a key stays free', async () => {
    const { key } = world.issue();
    const publish = () => Promise.reject(new BusOverloaded('refresh.commands.v1'));

    const response = await postWith({ publish }, key, 'free');
    const again = await post(gateway, key, 'free');

    expect([response.status, response.json.error.code]).toEqual([503, 'service_unavailable']);
    expect(response.json.error.detail).toBeUndefined();
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([202, undefined]);
  });

  test('nothing is sent while replies cannot be received', async () => {
    const health = () => ({ started: false, ready: false, alive: true, problems: ['not joined'] });
    const { key, principal } = world.issue();

    const response = await postWith({ health }, key);

    expect([response.status, response.json.error.detail]).toEqual([503, undefined]);
    const sent = world.collector.requests.filter(
      ({ projectId }) => projectId === principal.projectId,
    );
    expect(sent).toEqual([]);
  });

  test('a broker that takes nothing leaves the outcome unknown, and the cancel stays pending', async () => {
    const { key } = world.issue();
    // The other gateway sends pending commands too, and removes those that are answered.
    world.collector.replyToCancel = () => null;

    const response = await postWith({ publish: () => new Promise(() => undefined) }, key);

    expect(response.json.error.detail).toMatchObject({ outcome: 'unknown' });
    expect(await pendingCancel(response.json.error.detail.refresh_id)).not.toBeNull();
  });
});
