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

test('an attempt without a key is sent once its cancel is durable, one with a key at once', async () => {
  const { done, deps } = attempts();
  const stored = Promise.withResolvers<void>();
  const pendingCancels = { ...deps.pendingCancels, insertCancel: () => stored.promise };
  const decided = requestRefresh({ ...deps, pendingCancels }, { ...request, idempotencyKey: null });
  await requestRefresh(deps, { ...request, idempotencyKey: 'key' });
  expect(done).toEqual(['sent']);

  stored.resolve();
  await decided;

  expect(done).toEqual(['sent', 'sent', 'cancel withdrawn']);
});

test('an attempt whose cancel cannot be stored is not sent', async () => {
  const { done, deps } = attempts();
  const insertCancel = () => Promise.reject(new Error('no database'));
  const pendingCancels = { ...deps.pendingCancels, insertCancel };

  const result = await requestRefresh(
    { ...deps, pendingCancels },
    { ...request, idempotencyKey: null },
  );

  expect([result.result, done]).toEqual(['refused', []]);
});
