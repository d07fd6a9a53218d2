import { newAccountId } from '@inventory/testkit/builders';
import { createTestClock } from '@inventory/testkit/test-clock';
import { sandboxTwinId } from '../tenancy/sandbox-twin.ts';
import { createSandboxPace } from './sandbox-pace.ts';

const perMinute = 20;
const live = newAccountId();
const sandbox = sandboxTwinId(live);

/** How many of so many refreshes of the account are not refused. */
function takenOf(pace: ReturnType<typeof createSandboxPace>, account: typeof live, wanted: number) {
  return Array.from({ length: wanted }, () => pace(account)).filter((one) => one === null).length;
}

test('a sandbox account begins as many refreshes at once as in a minute, and after that one each few seconds (Sandbox)', () => {
  const clock = createTestClock(0);
  const pace = createSandboxPace(perMinute, clock);

  expect(takenOf(pace, sandbox, 100)).toBe(perMinute);
  expect(pace(sandbox)).toEqual({
    code: 'outstanding_limit_exceeded',
    detail: { limit: 'account_share', outstanding_max: perMinute },
    retry_after_seconds: 3,
  });
  clock.advance(3_000);
  expect(takenOf(pace, sandbox, 100)).toBe(1);
  clock.advance(600_000);
  expect(takenOf(pace, sandbox, 100)).toBe(perMinute);
});

test('it paces no live account, and no sandbox for another', () => {
  const pace = createSandboxPace(perMinute, createTestClock(0));
  takenOf(pace, sandbox, 100);

  expect(takenOf(pace, live, 1_000)).toBe(1_000);
  expect(takenOf(pace, sandboxTwinId(newAccountId()), 100)).toBe(perMinute);
});
