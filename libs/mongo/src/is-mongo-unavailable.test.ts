import { MongoNetworkError, MongoServerError } from 'mongodb';
import { isMongoUnavailable } from './is-mongo-unavailable.ts';

const serverError = (fields: object) => new MongoServerError({ message: 'refused', ...fields });

test.each([
  ['a lost connection', new MongoNetworkError('closed')],
  ['a primary that steps down', serverError({ code: 189 })],
  ['a server that is no primary', serverError({ code: 10_107 })],
  ['a server whose disk is full', serverError({ code: 14_031 })],
  ['a server that accepts no write', serverError({ code: 371 })],
  ['an interrupted write', serverError({ errorLabels: ['RetryableWriteError'] })],
])('%s means that the store is unavailable', (_case, error) => {
  expect(isMongoUnavailable(error)).toBe(true);
});

test.each([
  ['a violated unique index', serverError({ code: 11_000 })],
  ['a document that is too large', serverError({ code: 10_334 })],
  ['a fault of the program', new TypeError('no number')],
])('%s does not: a retry meets it again', (_case, error) => {
  expect(isMongoUnavailable(error)).toBe(false);
});
