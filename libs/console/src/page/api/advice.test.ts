import { publicCodes, rowOf } from '@inventory/contracts/refusal-codes';
import { adviceFor, messageOf } from './advice.ts';
import type { Failure } from './call-api.ts';

const refused = (code: string, more: Partial<Extract<Failure, { kind: 'refused' }>> = {}) =>
  ({
    kind: 'refused',
    status: 422,
    code,
    message: 'As the API says it.',
    requestId: 'req_1',
    detail: {},
    retryAfterSeconds: null,
    ...more,
  }) as const;

test('an error has the message of the API, whatever its code', () => {
  for (const code of publicCodes) {
    const failure = refused(code, { message: rowOf(code).message });
    expect(messageOf(failure)).toBe(rowOf(code).message);
    expect(adviceFor(failure)).toMatch(/[.)]$/);
  }
});

test.each([
  [refused('rate_limit_exceeded', { retryAfterSeconds: 12 }), 'Try again in 12 s.'],
  [
    refused('insufficient_credits', { detail: { required: 125, available: 3 } }),
    '125 credits are required and 3 are available: ask your operator for a top-up.',
  ],
  [
    refused('permission_denied', { detail: { permission: 'customer.events.read.v1' } }),
    expect.stringContaining('lacks the permission customer.events.read.v1'),
  ],
  [
    refused('permission_denied', { detail: { reason: 'network_policy' } }),
    'The key is not valid from this network.',
  ],
  [
    refused('invalid_request', {
      detail: { issues: [{ in: 'path', field: 'platform_id', reason: 'must be 17 digits' }] },
    }),
    'Correct platform_id: must be 17 digits.',
  ],
  [
    refused('product_unavailable', { retryAfterSeconds: 60 }),
    'Nothing was reserved. Try again in 60 s.',
  ],
  [refused('internal_error', { status: 500 }), 'Try again. If it stays, report the request id.'],
  [refused('http_502', { status: 502 }), 'Try again. If it stays, report the request id.'],
  [{ kind: 'timeout' } as const, 'Try again. What was paid for is not paid twice.'],
])('%j: what to do', (failure, advice) => {
  expect(adviceFor(failure)).toEqual(advice);
});
