import { readFileSync } from 'node:fs';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { ledgerIndexes } from '../../services/billing-ledger/src/collections.ts';
import { logIndexes } from '../../services/event-stream/src/log/log-document.ts';
import { webhookIndexes } from '../../services/event-stream/src/webhooks/webhook-document.ts';
import { gatewayIndexes } from '../../services/gateway/src/gateway-indexes.ts';
import { indexes as collectorIndexes } from '../../services/refresh-collector/src/collections.ts';
import { indexes as storeIndexes } from '../../services/revision-store/src/storage/collections.ts';
import { openPlanningServer } from './ask-server.ts';
import { type DeclaredIndex, judgeQuery, type RecordedQuery } from './judge-query.ts';

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

const declared: readonly CollectionIndexes[] = [
  ...gatewayIndexes,
  ...collectorIndexes,
  ...ledgerIndexes,
  ...storeIndexes,
  ...logIndexes,
  ...webhookIndexes,
];

interface SentQuery extends RecordedQuery {
  readonly from: string;
  /** EJSON, where it is short. */
  readonly example?: string;
}

/** Every distinct query of a run, by a text that names it. */
function readQueries(file: string): ReadonlyMap<string, SentQuery> {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const query: SentQuery = JSON.parse(line);
      const { collection, operation, filter, sort, hint, isLimited } = query;
      const shape = JSON.stringify({ filter, sort, hint, isLimited });
      return [`${operation} ${collection} ${shape}`, query];
    }),
  );
}

function indexesOf(collection: string): DeclaredIndex[] {
  const own = declared.filter((one) => one.collection === collection);
  return own
    .flatMap(({ indexes }) => indexes)
    .map(({ name, keys, options }) => ({
      name,
      keys: keys as DeclaredIndex['keys'],
      unique: options?.unique === true,
      partial: (options?.partialFilterExpression as DeclaredIndex['partial']) ?? null,
    }));
}

function isReadWhole({ collection, filter }: SentQuery): boolean {
  return collection in readWhole && Object.keys(filter).length === 0;
}

const file = process.env['QUERIES_FILE'];
const queries = file === undefined ? new Map<string, SentQuery>() : readQueries(file);

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
