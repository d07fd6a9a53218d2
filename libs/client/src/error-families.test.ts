import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasRetryAfter } from '@inventory/contracts/refusal';
import { publicCodes, refusalCodes } from '@inventory/contracts/refusal-codes';
import { apiErrorOf } from './error-families.ts';
import { ApiError, InventoryError } from './errors.ts';

function error(code: string, status: number): ApiError {
  return apiErrorOf({
    code,
    status,
    message: 'text',
    requestId: 'req_1',
    detail: { minimum: 125 },
    retryAfterSeconds: 7,
    creditsCharged: 1,
  });
}

test('every code that the README lists has the class that it states', () => {
  const readme = readFileSync(join(__dirname, '../README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| `(\w+Error)` \| (.*) \|$/gm)];
  const stated = rows.flatMap(([, name, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${code}: ${name}`),
  );

  const known = publicCodes.map(
    (code) => `${code}: ${error(code, refusalCodes[code].status).name}`,
  );
  expect(stated.filter((one) => !known.includes(one))).toEqual([]);
  expect(rows).toHaveLength(11);
});

test.each(publicCodes)('%s has code, status, request id, detail, wait and charge', (code) => {
  const { status } = refusalCodes[code];

  const known = error(code, status);

  expect(known).toBeInstanceOf(InventoryError);
  expect(known.constructor).not.toBe(ApiError);
  expect(known.name).toBe(known.constructor.name);
  expect(known).toMatchObject({
    code,
    status,
    message: 'text',
    requestId: 'req_1',
    detail: { minimum: 125 },
    retryAfterSeconds: 7,
    creditsCharged: 1,
  });
});

test('every error with Retry-After is retried, and no error of the request is', () => {
  for (const code of publicCodes) {
    const { status } = refusalCodes[code];
    const clientsFault = status < 500 && !hasRetryAfter(code) && code !== 'request_timeout';
    expect(`${code} ${error(code, status).retryable}`).toBe(`${code} ${!clientsFault}`);
  }
});

test.each([
  [401, 'AuthenticationError', false],
  [402, 'PaymentRequiredError', false],
  [403, 'PermissionError', false],
  [404, 'NotFoundError', false],
  [409, 'ConflictError', false],
  [410, 'CursorExpiredError', false],
  [418, 'InvalidRequestError', false],
  [429, 'LimitExceededError', true],
  [500, 'ServerError', true],
  [503, 'TemporarilyUnavailableError', true],
  [599, 'ServerError', true],
  [302, 'ApiError', false],
])('a code added later is known by its status %i: %s', (status, name, retryable) => {
  expect(error('added_later', status)).toMatchObject({ name, retryable, code: 'added_later' });
});
