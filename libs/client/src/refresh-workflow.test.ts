import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { failure, finished, record, refreshId, requestId, scope } from '../test/answers.ts';
import type { ScriptedAnswer } from '../test/scripted-server.ts';
import { createTestClientEnvironment } from '../test/test-client-environment.ts';
import { createCallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { ConnectionError } from './errors.ts';
import { createRefreshCalls } from './refresh-calls.ts';
import type { Call, Send } from './transport.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 1, numRuns: 2_000, endOnFailure: true };

/** What may happen to one request on its way. */
const troubles = ['lost before', 'lost after', 'cut off', 'busy', 'unavailable', 'none'] as const;
type Trouble = (typeof troubles)[number];

interface Plan {
  /** For each request in turn; nothing goes wrong after the last. */
  readonly troubles: readonly Trouble[];
  /** Polls until it is completed. */
  readonly polls: number;
  readonly retryAfterSeconds: number;
  readonly chance: number;
  readonly deadlineMs: number;
}

/** A service as the interface describes it: one refresh for each key, one more poll each time. */
function createService(plan: Plan, nowMs: () => number) {
  const keys = new Set<string>();
  let polls = 0;
  let requests = 0;
  let notBeforeMs = 0;
  let early = 0;

  function perform({ method, idempotencyKey = '' }: Call): ScriptedAnswer {
    const headers = { 'retry-after': String(plan.retryAfterSeconds) };
    if (method === 'POST') keys.add(idempotencyKey);
    else polls += 1;
    const isDone = polls >= plan.polls && method === 'GET';
    return { headers: isDone ? {} : headers, body: body(isDone ? finished() : record()) };
  }

  const send: Send = async (call) => {
    const trouble = plan.troubles[requests] ?? 'none';
    requests += 1;
    if (nowMs() < notBeforeMs) early += 1;
    notBeforeMs = 0;
    if (trouble === 'lost before') throw new ConnectionError('lost');
    const response = trouble === 'busy' ? busy : trouble === 'unavailable' ? closed : perform(call);
    if (trouble === 'lost after') throw new ConnectionError('lost');
    const { status = 200, headers = {} } = response;
    const text = JSON.stringify(response.body);
    if (trouble === 'cut off') return { status, headers: new Headers(), text: text.slice(0, -9) };
    notBeforeMs = nowMs() + Number(headers['retry-after'] ?? 0) * 1_000;
    return { status, headers: new Headers(headers), text };
  };
  return { send, seen: () => ({ refreshes: keys.size, early }) };
}

const body = (data: unknown) => ({ success: true, data, meta: { request_id: requestId } });
const busy = failure(409, 'idempotency_in_progress', { retryAfter: 1 });
const closed = failure(503, 'product_unavailable', { retryAfter: 30 });

interface Faults {
  readonly send?: (send: Send) => Send;
  readonly pause?: (pause: ClientEnvironment['pause']) => ClientEnvironment['pause'];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  troubles: fc.array(fc.constantFrom(...troubles), { maxLength: 12 }),
  polls: fc.integer({ min: 1, max: 6 }),
  retryAfterSeconds: fc.integer({ min: 1, max: 60 }),
  chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  deadlineMs: fc.integer({ min: 1_000, max: 900_000 }),
});

function oneRefreshInTime({ send: breakSend, pause: breakPause }: Faults = {}) {
  return fc.asyncProperty(plans, async (plan) => {
    const inner = createTestClientEnvironment(plan.chance);
    const environment = { ...inner, pause: breakPause?.(inner.pause) ?? inner.pause };
    const service = createService(plan, inner.nowMs);
    const send = breakSend?.(service.send) ?? service.send;
    const callApi = createCallApi(send, 45_000, environment);
    const calls = createRefreshCalls(callApi, environment);

    const ended = await calls
      .refreshAndWait(scope, { deadlineMs: plan.deadlineMs })
      .catch((error: Error) => error);

    const { refreshes, early } = service.seen();
    const isResult = !(ended instanceof Error) && ended.record.refresh_id === refreshId;
    const isRetryable = ended instanceof Error && 'retryable' in ended && ended.retryable === true;
    return (
      refreshes <= 1 &&
      early === 0 &&
      inner.nowMs() <= plan.deadlineMs &&
      (isResult ? refreshes === 1 && ended.record.state === 'completed' : isRetryable)
    );
  });
}

test('whatever is lost: one refresh, no early poll, an end in time, a result or a resumable error', async () => {
  await fc.assert(oneRefreshInTime(), { numRuns: propertyRuns(1_000) });
});

test.each<[string, Faults]>([
  [
    'each try has a key of its own',
    {
      send: (send) => {
        let tries = 0;
        return (call, limits) => {
          tries += 1;
          return send({ ...call, idempotencyKey: `try ${tries}` }, limits);
        };
      },
    },
  ],
  ['waits are cut short', { pause: (pause) => (ms, signal) => pause(ms * 0.9, signal) }],
  ['waits take too long', { pause: (pause) => (ms, signal) => pause(ms * 4, signal) }],
])('the property is seen to break when %s', async (_name, faults) => {
  const { failed } = await fc.check(oneRefreshInTime(faults), faultRuns);

  expect(failed).toBe(true);
});

test('with enough time every refresh ends with its result', async () => {
  const patient = plans.map((plan) => ({ ...plan, deadlineMs: 3_600_000 }));
  await fc.assert(
    fc.asyncProperty(patient, async (plan) => {
      const environment = createTestClientEnvironment(plan.chance);
      const { send } = createService(plan, environment.nowMs);
      const callApi = createCallApi(send, 45_000, environment);
      const calls = createRefreshCalls(callApi, environment);

      const { deadlineMs } = plan;
      const ended = calls.refreshAndWait(scope, { deadlineMs });

      await expect(ended).resolves.toMatchObject({ record: { state: 'completed' } });
    }),
    { numRuns: propertyRuns(300) },
  );
});
