import { Bug } from '@inventory/runtime/bug';
import { z } from 'zod';
import { afterFailure, faultAttemptsMax } from './retry-policy.ts';

const zodError = z.string().safeParse(7).error;

test.each([
  new TypeError('x'),
  new RangeError('x'),
  new ReferenceError('x'),
  new SyntaxError('x'),
  new Bug('x'),
  zodError,
])('a fault of ours (%s) is bounded: the same input would cause it again', (fault) => {
  expect(afterFailure(fault, faultAttemptsMax - 1)).toBe('retry');
  expect(afterFailure(fault, faultAttemptsMax)).toBe('dead_letter');
});

test.each([[new Error('store unavailable')], [undefined], ['text'], [{ name: 'TypeError' }]])(
  'anything else (%s) is an operating error, retried without end',
  (error) => {
    expect(afterFailure(error, 1_000_000)).toBe('retry');
  },
);
