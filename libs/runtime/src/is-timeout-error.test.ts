import { once } from 'node:events';
import { isTimeoutError } from './is-timeout-error.ts';

test('the reason of a timeout is told from that of an abort and from any other error', async () => {
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
