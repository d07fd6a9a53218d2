import { createLogger } from '@inventory/runtime/logger';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { type RequestRefreshDeps, requestRefresh } from './admit-refresh.ts';

const clock = createTestClock();
const request = {
  refreshId: newRefreshId(),
  requestId: newRequestId(),
  accountId: newAccountId(),
  projectId: newProjectId(),
  scope: newScope(),
  language: 'english',
  maxCredits: 125,
  fingerprint: 'f'.repeat(64),
  requestedAtMs: clock.now(),
  freshness: null,
  watchId: null,
} as const;

/** What is done for an attempt, in order. */
function attempts() {
  const done: string[] = [];
  const deps: RequestRefreshDeps = {
    commands: {
      request: async () => {
        done.push('sent');
        return { result: 'not_sent', cause: 'the test ends here' };
      },
    },
    collector: { findRefresh: async () => null },
    pendingCancels: {
      insertCancel: async () => void done.push('cancel stored'),
      withdrawCancel: async () => {
        done.push('cancel withdrawn');
        return true;
      },
      expediteCancel: async () => void done.push('cancelled'),
    },
    wakeCancels: () => {},
    clock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    decisionTimeoutMs: 1_000,
    deadlines: { storeMs: 1_000, undecidedRefreshMs: 1_000 },
  };
  return { done, deps };
}

test.each([
  ['without a key', null, ['cancel stored', 'cancel withdrawn']],
  ['with a key', 'key', []],
])(
  'an attempt %s that is refused for the rate is never sent, and leaves nothing (Rate limits)',
  async (_what, idempotencyKey, expected) => {
    const { done, deps } = attempts();
    const counted = Promise.reject(new Error('refused for the rate'));

    await expect(requestRefresh(deps, { ...request, idempotencyKey }, counted)).rejects.toThrow(
      'refused for the rate',
    );

    expect(done).toEqual(expected);
  },
);

test('one is sent once its request is counted and its cancel is durable', async () => {
  const { done, deps } = attempts();
  const counted = Promise.withResolvers<void>();
  const decided = requestRefresh(deps, { ...request, idempotencyKey: null }, counted.promise);
  await Promise.resolve();
  expect(done).toEqual(['cancel stored']);

  counted.resolve();
  await decided;

  expect(done.slice(0, 2)).toEqual(['cancel stored', 'sent']);
});
