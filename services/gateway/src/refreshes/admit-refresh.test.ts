import { createLogger } from '@inventory/runtime/logger';
import {
  newAccountId,
  newCredentialId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { requestRefresh } from './admit-refresh.ts';
import type { RefreshServices } from './open-refreshes.ts';

const clock = createTestClock();
const request = {
  refreshId: newRefreshId(),
  requestId: newRequestId(),
  accountId: newAccountId(),
  projectId: newProjectId(),
  credentialId: newCredentialId(),
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
  const services = only<RefreshServices>({
    commands: {
      request: async () => {
        done.push('sent');
        return { result: 'not_sent', cause: 'the test ends here' };
      },
    },
    pendingCancels: only({
      insertCancel: async () => void done.push('cancel stored'),
      withdrawCancel: async () => {
        done.push('cancel withdrawn');
        return true;
      },
    }),
    clock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    decisionTimeoutMs: 1_000,
    deadlines: only({ storeMs: 1_000 }),
  });
  return { done, services };
}

test('an attempt without a key is sent once its cancel is durable, one with a key at once', async () => {
  const { done, services } = attempts();
  const stored = Promise.withResolvers<void>();
  const pendingCancels = { ...services.pendingCancels, insertCancel: () => stored.promise };
  const decided = requestRefresh(
    { ...services, pendingCancels },
    { ...request, idempotencyKey: null },
  );
  await requestRefresh(services, { ...request, idempotencyKey: 'key' });
  expect(done).toEqual(['sent']);

  stored.resolve();
  await decided;

  expect(done).toEqual(['sent', 'sent', 'cancel withdrawn']);
});

test('an attempt whose cancel cannot be stored is not sent', async () => {
  const { done, services } = attempts();
  const insertCancel = () => Promise.reject(new Error('no database'));
  const pendingCancels = { ...services.pendingCancels, insertCancel };

  const result = await requestRefresh(
    { ...services, pendingCancels },
    { ...request, idempotencyKey: null },
  );

  expect([result.result, done]).toEqual(['refused', []]);
});
