import { Refused } from '@inventory/http/refused';
import type { PublicContext } from '../request-state.ts';
import { limitRate } from './limit-rate.ts';
import type { TrafficDecision } from './limit-traffic.ts';

const decision: TrafficDecision = {
  admitted: true,
  limit: 'service_account',
  limitPerMinute: 60,
  remaining: 59,
  resetSeconds: 30,
};

interface Passing {
  readonly countedBeside?: boolean;
  readonly isKnownFull?: boolean;
}

/** A request of an operation, whose count is decided by the test. */
function pass({ countedBeside = false, isKnownFull = false }: Passing) {
  const count = Promise.withResolvers<TrafficDecision>();
  const operation = Promise.withResolvers<void>();
  const events: string[] = [];
  const pathValues = {};
  const state = { principal: {}, route: { countedBeside }, pathValues } as PublicContext['state'];
  const context = { state, set: () => events.push('headers') } as unknown as PublicContext;
  const limiter = { takeRequests: () => count.promise, isKnownFull: () => isKnownFull };
  const next = () => {
    events.push('operation');
    return operation.promise;
  };
  const passed = Promise.resolve(limitRate(limiter)(context as never, next)).then(
    () => events.push('passed'),
    (error: unknown) => {
      events.push(error instanceof Refused ? error.refusal.code : String(error));
    },
  );
  return { count, operation, events, passed, state };
}

const refused = { ...decision, admitted: false, remaining: 0 };
const fault = new Error('not found');

test.each<[string, Passing]>([
  ['as a rule', {}],
  ['whose limit is known to be reached', { countedBeside: true, isKnownFull: true }],
])('an operation %s begins once its request is counted (Rate limits)', async (_what, passing) => {
  const { count, operation, events, passed } = pass(passing);
  expect(events).toEqual([]);

  count.resolve(decision);
  operation.resolve();
  await passed;

  expect(events).toEqual(['headers', 'operation', 'passed']);
});

test('one that waits for the count itself begins beside it, and ends after both', async () => {
  const { count, operation, events, passed, state } = pass({ countedBeside: true });
  expect(events).toEqual(['operation']);

  operation.resolve();
  count.resolve(decision);
  await passed;

  expect(events).toEqual(['operation', 'headers', 'passed']);
  expect(state.rateLimit).toMatchObject({ remaining: 59 });
});

test.each([
  [
    'is refused for the rate alone, whatever else it is refused for',
    refused,
    'rate_limit_exceeded',
  ],
  ['is refused for what the operation refuses it', decision, String(fault)],
])(
  'a request that is counted beside its operation %s (Rate limits)',
  async (_what, decided, code) => {
    const { count, operation, events, passed } = pass({ countedBeside: true });

    operation.reject(fault);
    count.resolve(decided);
    await passed;

    expect(events).toEqual(['operation', 'headers', code]);
  },
);
