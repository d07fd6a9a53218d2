import { canonicalDecimal, requestTime } from '@inventory/contracts/http/parameters';
import { detailOf } from '@inventory/contracts/refusal';
import { wire } from '@inventory/contracts/wire';
import { z } from 'zod';
import { Refused } from './refused.ts';
import type { RawInput } from './route.ts';
import { validateInput } from './validate-input.ts';

const positive = z
  .string()
  .regex(/^[1-9][0-9]*$/, 'must be a positive number')
  .transform(Number);
const schemas = {
  path: z.object({ platform_id: z.string(), app_id: positive, context_id: positive }),
  query: z.object({ limit: z.string().optional(), state: z.array(z.string()).max(2) }),
  header: z.object({ 'Idempotency-Key': z.string().max(3).optional() }),
  body: z.strictObject({
    max_credits: z.int('must be a whole number'),
    nested: z.strictObject({ a: z.string() }).optional(),
  }),
};
const path = { platform_id: '76561198000000001', app_id: '730', context_id: '2' };

function raw(overrides: Partial<RawInput> = {}): RawInput {
  const body = { max_credits: 125 };
  return { path, query: new URLSearchParams(), headers: {}, body, ...overrides };
}

function issuesOf(input: RawInput, unknownQuery?: 'refuse'): unknown {
  try {
    validateInput(schemas, input, unknownQuery);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(Refused);
    const { refusal } = error as Refused;
    expect(refusal.code).toBe('invalid_request');
    return detailOf(refusal)?.['issues'];
  }
}

test('a valid request becomes what its schemas make of it', () => {
  const query = new URLSearchParams('limit=7&state=queued&state=completed&unknown=1&unknown=2');
  const headers = { 'idempotency-key': ['abc'], 'x-other': ['1', '2'] };

  expect(validateInput(schemas, raw({ query, headers }))).toEqual({
    path: { platform_id: '76561198000000001', app_id: 730, context_id: 2 },
    query: { limit: '7', state: ['queued', 'completed'] },
    header: { 'Idempotency-Key': 'abc' },
    body: { max_credits: 125 },
  });
});

test('a query that is a codec is read by its names on the wire, and given by those in the code', () => {
  const query = wire({ maxItems: canonicalDecimal(1, 9), thingId: z.array(z.string()) });
  const read = (text: string) =>
    validateInput({ query }, raw({ query: new URLSearchParams(text) }), 'refuse');

  expect(read('max_items=3&thing_id=a&thing_id=b')).toEqual({
    query: { maxItems: 3, thingId: ['a', 'b'] },
  });
  expect(() => read('max_items=10&maxItems=3')).toThrow(
    expect.objectContaining({
      refusal: expect.objectContaining({
        detail: {
          issues: [
            {
              in: 'query',
              field: 'max_items',
              reason: 'must be a whole number from 1 to 9, as plain digits',
            },
            { in: 'query', field: 'maxItems', reason: 'is not a known parameter; max_items is' },
          ],
        },
      }),
    }),
  );
});

test('all problems of path, query, header and body are named at once (Errors: invalid_request)', () => {
  const issues = issuesOf({
    path: { ...path, app_id: '007', context_id: '0' },
    query: new URLSearchParams('limit=1&limit=2&state=a&state=b&state=c'),
    headers: { 'idempotency-key': ['abcd'] },
    body: { nested: { a: 1, b: 2 }, extra: true },
  });

  expect(issues).toEqual([
    { in: 'path', field: 'app_id', reason: 'must be a positive number' },
    { in: 'path', field: 'context_id', reason: 'must be a positive number' },
    { in: 'query', field: 'limit', reason: 'may be given only once' },
    { in: 'query', field: 'state', reason: 'must have at most 2 items' },
    { in: 'header', field: 'Idempotency-Key', reason: 'must have at most 3 characters' },
    { in: 'body', field: 'max_credits', reason: 'is required' },
    { in: 'body', field: 'nested.a', reason: 'must be text' },
    { in: 'body', field: 'nested.b', reason: 'is not a known field' },
    { in: 'body', field: 'extra', reason: 'is not a known field' },
  ]);
});

test('an unknown field is named with the known one that it is close to, at its path in the body (Errors: invalid_request)', () => {
  const body = { max_credit: 1, max_credits: 125, nested: { a: 'x', b: 1 }, zebra: 1 };
  const batch = z.strictObject({
    items: z.array(z.strictObject({ max_age: z.int() }).nullable()).optional(),
  });

  expect(issuesOf(raw({ body }))).toEqual([
    { in: 'body', field: 'nested.b', reason: 'is not a known field' },
    { in: 'body', field: 'max_credit', reason: 'is not a known field; max_credits is' },
    { in: 'body', field: 'zebra', reason: 'is not a known field' },
  ]);
  const items = [null, { max_age: 1, maxage: 2 }];
  expect(() => validateInput({ body: batch }, raw({ body: { items } }))).toThrow(
    expect.objectContaining({
      refusal: expect.objectContaining({
        detail: {
          issues: [
            { in: 'body', field: 'items.1.maxage', reason: 'is not a known field; max_age is' },
          ],
        },
      }),
    }),
  );
});

test.each([[null], [[]], ['text'], [7], [true], [undefined]])(
  'a body that is %j is a problem of the body as a whole',
  (body) => {
    expect(issuesOf(raw({ body }))).toEqual([
      { in: 'body', field: '', reason: body === undefined ? 'is required' : 'must be an object' },
    ]);
  },
);

test('a body full of unknown fields is refused with a bounded list of short names', () => {
  const names = Array.from({ length: 500 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]);

  const issues = issuesOf(raw({ body: { max_credits: 125, ...Object.fromEntries(names) } }));

  expect(issues).toHaveLength(100);
  expect(JSON.stringify(issues).length).toBeLessThan(20_000);
});

test('names of the language itself are fields like any other', () => {
  const body = JSON.parse('{"max_credits":125,"__proto__":{"admin":true},"constructor":1}');

  expect(issuesOf(raw({ body }))).toEqual([
    { in: 'body', field: '__proto__', reason: 'is not a known field' },
    { in: 'body', field: 'constructor', reason: 'is not a known field' },
  ]);
});

test('an unknown query parameter is refused where that is required, with the name that it is close to (Transport)', () => {
  const query = new URLSearchParams('Limit=7&stat=queued&zebra=1&zebra=2');

  expect(issuesOf(raw({ query }), 'refuse')).toEqual([
    { in: 'query', field: 'Limit', reason: 'is not a known parameter; limit is' },
    { in: 'query', field: 'stat', reason: 'is not a known parameter; state is' },
    { in: 'query', field: 'zebra', reason: 'is not a known parameter' },
  ]);
  expect(issuesOf(raw({ query }))).toEqual([]);
});

test.each([
  ['lang', 'language'],
  ['Lang', 'language'],
  ['languages', 'language'],
  ['langauge', 'language'],
  ['page', 'page_size'],
  ['size', 'page_size'],
  ['pageSize', 'page_size'],
  ['page_size_max', 'page_size'],
  ['next_cursor', 'cursor'],
  ['curser', 'cursor'],
  ['l', null],
  ['id', null],
  ['zebra', null],
])('the known parameter nearest to %s is %s (Transport) [path-values]', (given, nearest) => {
  const query = z.object({
    cursor: z.string().optional(),
    language: z.string().optional(),
    page_size: z.string().optional(),
  });
  const input = raw({ query: new URLSearchParams([[given, '1']]) });
  const reason = `is not a known parameter${nearest === null ? '' : `; ${nearest} is`}`;

  expect(() => validateInput({ query }, input, 'refuse')).toThrow(
    expect.objectContaining({
      refusal: {
        code: 'invalid_request',
        detail: { issues: [{ in: 'query', field: given, reason }] },
      },
    }),
  );
});

test.each([
  [z.enum(['english', 'german']), 'klingon', 'must be one of: english, german'],
  [z.literal(1), 2, 'must be 1'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int().min(5), 1, 'must be at least 5'],
  [z.boolean(), 'true', 'must be true or false'],
  [z.array(z.string()).min(1), [], 'must have at least 1 items'],
  [requestTime, 'now', 'must be a time of RFC 3339, as 2026-01-15T10:00:00.000Z'],
  [z.string().regex(/x/), 'y', 'does not have the required form'],
  [z.uuid(), 'y', 'does not have the required form'],
  [z.union([z.string(), z.int()]), null, 'is not valid'],
])(
  'a reason reads as the others do, whatever the schema is (Errors: invalid_request)',
  (schema, value, reason) => {
    const body = z.strictObject({ field: schema });

    const validate = () => validateInput({ body }, raw({ body: { field: value } }));

    expect(validate).toThrow(
      expect.objectContaining({
        refusal: {
          code: 'invalid_request',
          detail: { issues: [{ in: 'body', field: 'field', reason }] },
        },
      }),
    );
  },
);
