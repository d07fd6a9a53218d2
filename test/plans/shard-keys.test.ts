import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ShardKey } from '@inventory/mongo/indexes';
import { isUniqueWithin, judgeWrite } from './judge-shard-key.ts';
import { declared, indexesOf, readQueries } from './read-queries.ts';

const sharded = declared.flatMap(({ collection, shardKey }) =>
  shardKey ? [{ collection, shardKey }] : [],
);
const queries = readQueries();

it.each(sharded)(
  '$collection can be sharded by its key, whatever is unique in it (sharding)',
  ({ collection, shardKey }) => {
    const unique = indexesOf(collection).filter((index) => index.unique);
    expect(unique.filter((index) => !isUniqueWithin(index, shardKey))).toEqual([]);
  },
);

it.each(sharded)(
  'each write of one document of $collection names its shard (sharding)',
  ({ collection, shardKey }) => {
    const faults = [...queries]
      .filter(([, query]) => query.collection === collection)
      .map(([text, query]) => ({ text, from: query.from, fault: judgeWrite(query, shardKey) }))
      .filter(({ fault }) => fault !== null);
    expect(faults).toEqual([]);
  },
);

const textOf = (key: ShardKey | undefined) =>
  key === undefined
    ? 'none'
    : `\`{${Object.entries(key)
        .map(([field, by]) => `${field}: ${by === 1 ? by : '"hashed"'}`)
        .join(', ')}}\``;

it('the documented shard keys and unique indexes are those that are declared (capacity.md)', () => {
  const document = readFileSync(resolve(__dirname, '../../docs/contributors/capacity.md'), 'utf8');
  const [, section = ''] = document.split('\n## Sharding MongoDB\n');
  const rows = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const documented = rows.flatMap((row) => {
    const [, collections = '', key = '', unique = ''] = row.split('|').map((cell) => cell.trim());
    return collections.split(', ').map((name) => ({ name: name.replaceAll('`', ''), key, unique }));
  });
  const rowOf = new Map(documented.map(({ name, ...row }) => [name, row]));
  for (const { collection, shardKey } of declared) {
    const unique = indexesOf(collection).filter((index) => index.unique);
    expect({ collection, ...rowOf.get(collection) }).toEqual({
      collection,
      key: textOf(shardKey),
      unique: unique.map(({ name }) => `\`${name}\``).join(', '),
    });
  }
  expect(documented).toHaveLength(rowOf.size);
});
