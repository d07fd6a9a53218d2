import { judgeQuery } from './judge-query.ts';
import { openPlanningServer } from './planning-server.ts';
import { declared, indexesOf, readQueries, type SentQuery } from './read-queries.ts';

/** Collections that are read from the first to the last document: with the bound and the reason. */
const readWhole: Readonly<Record<string, string>> = {
  appBreakers: 'a document per application with a breaker; a replica reads all of them',
  commits: 'verification and a rebuild of snapshots read the journal once, in its order',
  priceLists: 'a document per published price list; a replica reads all of them',
  quarantine: 'a document per corrupt record; operators list them',
  snapshots: 'verification reads each once, in the order of the journal',
  usagePositions: 'verification reads each once, in the order of the journal',
  webhookEndpoints: 'at most ten a Project; a start re-encrypts the secrets of each',
};

function isReadWhole({ collection, filter }: SentQuery): boolean {
  return collection in readWhole && Object.keys(filter).length === 0;
}

const queries = readQueries();
const collections = new Set([...queries.values()].map(({ collection }) => collection));

for (const name of collections) {
  it(`the indexes of ${name} serve each query that a service sends (query plans)`, () => {
    const indexes = indexesOf(name);
    const faults = [...queries]
      .filter(([, query]) => query.collection === name && !isReadWhole(query))
      .map(([text, query]) => ({ text, from: query.from, fault: judgeQuery(query, indexes) }))
      .filter(({ fault }) => fault !== null);
    expect(faults).toEqual([]);
  });
}

it('no two services name a collection the same, each is created at a start, and each that may be read whole is', () => {
  const names = declared.map(({ collection }) => collection);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  // Not every server creates one with its first write.
  expect([...collections].filter((name) => !names.includes(name))).toEqual([]);
  if (queries.size === 0) return;
  const read = new Set(
    [...queries.values()].filter(isReadWhole).map(({ collection }) => collection),
  );
  expect([...read].toSorted()).toEqual(Object.keys(readWhole));
});

it('a server that was given for the tests plans every query of a run by an index', async () => {
  const uri = process.env['MONGODB_URI'];
  const server = uri === undefined ? null : await openPlanningServer(uri, declared);
  if (server === null) return;
  try {
    for (const [text, query] of queries) {
      if (query.example === undefined || isReadWhole(query)) continue;
      const stages = await server.stagesOf(query.example);
      const faults = stages.filter((stage) => stage === 'COLLSCAN' || stage === 'SORT');
      expect({ text, faults }).toEqual({ text, faults: [] });
    }
  } finally {
    await server.close();
  }
});
