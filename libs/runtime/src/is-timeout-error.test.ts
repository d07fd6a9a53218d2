import { once } from 'node:events';
import { isTimeoutError } from './is-timeout-error.ts';

test('only the reason of a timeout is a timeout error, not that of an abort or any other error', async () => {
  const timeout = AbortSignal.timeout(1);
  if (!timeout.aborted) await once(timeout, 'abort');
  const named = Object.assign(new Error('x'), { name: 'TimeoutError' });

  expect(isTimeoutError(timeout.reason)).toBe(true);
  expect([AbortSignal.abort().reason, named, null, undefined].map(isTimeoutError)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
