import type { ShardKey } from '@inventory/mongo/indexes';
import type { RecordedQuery } from './judge-query.ts';
import { isUniqueWithin, judgeWrite } from './judge-shard-key.ts';

const byProject: ShardKey = { projectId: 1 };
const byBoth: ShardKey = { projectId: 1, _id: 1 };
const byHash: ShardKey = { _id: 'hashed' };

it.each([
  ['begins with the whole key', { projectId: 1, slot: 1 }, byProject, true],
  ['is the key', { projectId: 1 }, byProject, true],
  ['begins with the `_id`', { _id: 1 }, byProject, true],
  ['begins with a part of the key', { projectId: 1, slot: 1 }, byBoth, false],
  ['has the key after another field', { slot: 1, projectId: 1 }, byProject, false],
  ['lacks the key', { slot: 1 }, byHash, false],
] as const)('a unique index that %s (sharding)', (_title, keys, key, isAccepted) => {
  expect(isUniqueWithin({ keys }, key)).toBe(isAccepted);
});

type Write = Pick<RecordedQuery, 'operation' | 'filter'> & Partial<RecordedQuery>;
const one = 'value';
const named = { _id: one, projectId: { $eq: one } };
const byId = { _id: one, version: one };
const byOther = { projectId: one };

describe('a write of one document', () => {
  const judge = (write: Write, key: ShardKey) =>
    judgeWrite({ collection: 'things', ...write }, key);

  it.each<[string, Write, ShardKey]>([
    ['an update', { operation: 'update', filter: named }, byBoth],
    ['an upsert', { operation: 'update', filter: named, isUpsert: true }, byBoth],
    ['a delete', { operation: 'delete', filter: named, isLimited: true }, byBoth],
    ['one that is found and modified', { operation: 'findAndModify', filter: named }, byBoth],
    ['an update by a part of the `_id`', { operation: 'update', filter: byOther }, byProject],
    ['an update by the `_id` that is the key', { operation: 'update', filter: byId }, byHash],
    [
      'an update by the conditions of an $and',
      { operation: 'update', filter: { $and: [{ projectId: one }, { $or: [byId] }] } },
      byProject,
    ],
  ])('names its shard: %s (sharding)', (_title, write, key) => {
    expect(judge(write, key)).toBeNull();
  });

  it.each<[string, Write]>([
    ['without a value of the key or the `_id`', { operation: 'update', filter: byOther }],
    ['with a range of it', { operation: 'update', filter: { ...byOther, _id: { $gt: one } } }],
    ['with some values of it', { operation: 'update', filter: { ...byOther, _id: { $in: 10 } } }],
    ['with none of it', { operation: 'delete', filter: { _id: 'null' }, isLimited: true }],
    ['with a value in a branch of it', { operation: 'update', filter: { $or: [named, byOther] } }],
    ['that finds and modifies by the `_id`', { operation: 'findAndModify', filter: byId }],
    ['that is an upsert by the `_id`', { operation: 'update', filter: byId, isUpsert: true }],
    [
      'that upserts where many may match',
      { operation: 'update', filter: byId, isUpsert: true, isMulti: true },
    ],
  ])('is refused %s (sharding)', (_title, write) => {
    expect(judge(write, byBoth)).toBe('refused');
  });

  it.each<[string, Write]>([
    ['an update', { operation: 'update', filter: byId }],
    ['a delete', { operation: 'delete', filter: byId, isLimited: true }],
  ])('goes to every shard by the `_id`: %s (sharding)', (_title, write) => {
    expect(judge(write, byBoth)).toBe('every shard');
  });

  it.each<[string, Write]>([
    ['an update of many', { operation: 'update', filter: {}, isMulti: true }],
    ['a delete of many', { operation: 'delete', filter: {} }],
    ['a read', { operation: 'find', filter: {}, isLimited: true }],
  ])('is not %s (sharding)', (_title, query) => {
    expect(judge(query, byBoth)).toBeNull();
  });
});
