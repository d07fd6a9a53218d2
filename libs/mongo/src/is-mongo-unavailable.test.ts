import {
  bulkWriteError,
  passingStoreErrors,
  serverError,
} from '@inventory/testkit/passing-store-errors';
import { MongoInvalidArgumentError } from 'mongodb';
import { isMongoUnavailable } from './is-mongo-unavailable.ts';

const named = [6, 43, 64, 91, 133, 189, 202, 262, 365, 371, 462, 10_107, 11_602, 13_435, 14_031];

test.each([
  ...passingStoreErrors,
  ...named.map((code) => [`error ${code}`, serverError({ code })] as const),
])('%s means that the store is unavailable', (_name, error) => {
  expect(isMongoUnavailable(error)).toBe(true);
});

test('a label decides before a code', () => {
  const error = serverError({ code: 2, errorLabels: ['SystemOverloadedError'] });

  expect(isMongoUnavailable(error)).toBe(true);
});

test.each([
  ['a violated unique index', serverError({ code: 11_000 })],
  ['a violated unique index, by one document of many', bulkWriteError({ documents: [11_000] })],
  ['a document that is too large for the server', serverError({ code: 10_334 })],
  ['one that is too large for the driver', new MongoInvalidArgumentError('larger than 16777216')],
  ['a fault of the program', new TypeError('no number')],
])('%s does not: a retry meets it again', (_name, error) => {
  expect(isMongoUnavailable(error)).toBe(false);
});
