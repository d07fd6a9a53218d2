import { type DeclaredIndex, judgeQuery, type RecordedQuery } from './judge-query.ts';

const index = (name: string, keys: DeclaredIndex['keys'], more: Partial<DeclaredIndex> = {}) => ({
  ...{ name, keys, unique: false, partial: null },
  ...more,
});
const work = index(
  'work',
  { 'work.queue': 1, 'work.dueAtMs': 1 },
  {
    partial: { 'work.dueAtMs': { $exists: true } },
  },
);
const newest = index('newest', { projectId: 1, phase: 1, requestedAt: -1, _id: -1 });
const digest = index('digest', { 'secrets.digest': 1 }, { unique: true });
const due = index('due', { dueAt: 1 }, { partial: { dueAt: { $exists: true } } });
const pings = index('pings', { endpointId: 1, state: 1 }, { partial: { type: 'ping' } });
const indexes = [work, newest, digest, due, pings];

const judge = (query: Omit<RecordedQuery, 'collection' | 'operation'>) =>
  judgeQuery({ collection: 'things', operation: 'find', ...query }, indexes);
const point = 'value';
const range = { $lte: point };

describe('a query is served by an index (query plans)', () => {
  it.each<[string, Omit<RecordedQuery, 'collection' | 'operation'>]>([
    ['whose first field has a value', { filter: { projectId: point, other: point } }],
    ['of ids', { filter: { _id: { $in: 100 } } }],
    [
      'whose order follows fields with single values',
      {
        filter: { projectId: point, phase: point, requestedAt: range },
        sort: { requestedAt: -1, _id: -1 },
      },
    ],
    [
      'that is read backwards',
      {
        filter: { projectId: point, phase: point },
        sort: { requestedAt: 1, _id: 1 },
      },
    ],
    [
      'of which at most 200 sorted ranges are merged',
      {
        filter: { projectId: point, phase: { $in: 100 } },
        sort: { requestedAt: -1, _id: -1 },
      },
    ],
    [
      'whose partial filter the query implies',
      {
        filter: { 'work.queue': 'null', 'work.dueAtMs': range },
        sort: { 'work.dueAtMs': 1 },
      },
    ],
    ['of the documents that have its first field', { filter: { dueAt: { $exists: true } } }],
    ['whose partial filter the query repeats', { filter: { endpointId: point, type: point } }],
    ['in each branch', { filter: { $or: [{ projectId: point }, { 'secrets.digest': point }] } }],
    [
      'by what holds beside the branches',
      {
        filter: { projectId: point, $or: [{ a: point }, { b: range }] },
      },
    ],
    [
      'that is unique and finds a few to be sorted',
      {
        filter: { _id: { $in: 100 }, projectId: point },
        sort: { requestedAt: -1 },
      },
    ],
    [
      'that has the order of a first page',
      {
        filter: {},
        sort: { 'secrets.digest': 1 },
        isLimited: true,
      },
    ],
    ['by the conditions of an $and', { filter: { $and: [{ a: point }, { projectId: point }] } }],
  ])('%s', (_title, query) => {
    expect(judge(query)).toBeNull();
  });
});

describe('a query scans its collection or sorts in memory (query plans)', () => {
  const scans = 'no index begins with a restricted field';
  const sorts = 'sorts in memory';
  it.each<[string, Omit<RecordedQuery, 'collection' | 'operation'>, string]>([
    ['without a condition', { filter: {} }, scans],
    [
      'without a condition, in the order of an index, without a limit',
      {
        filter: {},
        sort: { _id: 1 },
      },
      scans,
    ],
    [
      'in the order of an index, up to a limit of those that match',
      {
        filter: { a: point },
        sort: { _id: 1 },
        isLimited: true,
      },
      scans,
    ],
    ['on the second field of an index', { filter: { phase: point } }, scans],
    [
      'on the second field, although the index has no other documents',
      {
        filter: { 'work.dueAtMs': { $exists: true } },
      },
      scans,
    ],
    ['by what no range of an index is', { filter: { projectId: { $ne: point } } }, scans],
    ['by an expression', { filter: { $expr: 'expression' } }, scans],
    ['of documents that a partial index lacks', { filter: { dueAt: 'null' } }, scans],
    ['whose partial filter it does not imply', { filter: { endpointId: point } }, scans],
    ['in one of its branches', { filter: { $or: [{ projectId: point }, { a: point }] } }, scans],
    [
      'after a hint of an index that cannot serve it',
      {
        filter: { projectId: point },
        hint: 'due',
      },
      scans,
    ],
    [
      'after a range',
      {
        filter: { projectId: point, phase: range },
        sort: { requestedAt: -1 },
      },
      sorts,
    ],
    [
      'in two directions',
      {
        filter: { projectId: point, phase: point },
        sort: { requestedAt: -1, _id: 1 },
      },
      sorts,
    ],
    [
      'of more than 200 ranges',
      {
        filter: { projectId: point, phase: { $in: 1_000 } },
        sort: { requestedAt: -1 },
      },
      sorts,
    ],
    ['by a field that no index has', { filter: { projectId: point }, sort: { name: 1 } }, sorts],
  ])('%s', (_title, query, reason) => {
    expect(judge(query)).toBe(reason);
  });

  it('with a hint of no index that is declared', () => {
    expect(judge({ filter: { projectId: point }, hint: 'gone' })).toBe('no index "gone"');
  });
});
