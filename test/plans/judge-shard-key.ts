import type { ShardKey } from '@inventory/mongo/indexes';
import type { DeclaredIndex, FilterKinds, RecordedQuery } from './judge-query.ts';

/**
 * Whether a collection with this unique index can be sharded by the key: the index begins with the whole
 * key, so that its values are unique over all shards. One that begins with the `_id` is always accepted.
 */
export function isUniqueWithin({ keys }: Pick<DeclaredIndex, 'keys'>, key: ShardKey): boolean {
  const fields = Object.keys(keys);
  return fields[0] === '_id' || Object.keys(key).every((field, at) => fields[at] === field);
}

/**
 * What becomes of a write by the rules of MongoDB's manual, versions 5.0 to 7.0, where it does not name
 * its shard by a value for each field of the key. It is refused, or, with the value of an `_id`, goes to
 * every shard, and applies twice to a document that is moved meanwhile. Null for a write of many documents,
 * which may go to every shard, and for a read.
 */
export function judgeWrite(query: RecordedQuery, key: ShardKey): 'refused' | 'every shard' | null {
  const values = valuesIn(query.filter);
  if (!isOfOne(query) || Object.keys(key).every((field) => values.has(field))) return null;
  const isRouted = query.operation === 'findAndModify' || query.isUpsert === true;
  return isRouted || !values.has('_id') ? 'refused' : 'every shard';
}

function isOfOne({ operation, isLimited, isMulti, isUpsert }: RecordedQuery): boolean {
  switch (operation) {
    case 'update':
      return isMulti !== true || isUpsert === true;
    case 'delete':
      return isLimited === true;
    default:
      return operation === 'findAndModify';
  }
}

/** The fields that have one value in each document that matches. */
function valuesIn(filter: FilterKinds): Set<string> {
  const fields = Object.entries(filter).flatMap(([name, condition]) => {
    if (Array.isArray(condition)) {
      const all = name === '$and' ? (condition as readonly FilterKinds[]) : [];
      return all.flatMap((one) => [...valuesIn(one)]);
    }
    const value = typeof condition === 'object' && '$eq' in condition ? condition.$eq : condition;
    return value === 'value' ? [name] : [];
  });
  return new Set(fields);
}
