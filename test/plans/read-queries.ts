import { readFileSync } from 'node:fs';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { ledgerIndexes } from '../../services/billing-ledger/src/collections.ts';
import { logIndexes } from '../../services/event-stream/src/log/log-document.ts';
import { webhookIndexes } from '../../services/event-stream/src/webhooks/webhook-document.ts';
import { gatewayIndexes } from '../../services/gateway/src/gateway-indexes.ts';
import { collectorIndexes } from '../../services/refresh-collector/src/collections.ts';
import { storeIndexes } from '../../services/revision-store/src/storage/collections.ts';
import type { DeclaredIndex, RecordedQuery } from './judge-query.ts';

/** The collections of all services that declare something. */
export const declared: readonly CollectionIndexes[] = [
  ...gatewayIndexes,
  ...collectorIndexes,
  ...ledgerIndexes,
  ...storeIndexes,
  ...logIndexes,
  ...webhookIndexes,
];

export interface SentQuery extends RecordedQuery {
  readonly from: string;
  /** EJSON, where it is short. */
  readonly example?: string;
}

/** Every distinct query of a run, by a text that names it; none without a recording. */
export function readQueries(): ReadonlyMap<string, SentQuery> {
  const file = process.env['QUERIES_FILE'];
  if (file === undefined) return new Map();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const query: SentQuery = JSON.parse(line);
      const { collection, operation, filter, sort, hint, isLimited, isMulti, isUpsert } = query;
      const shape = JSON.stringify({ filter, sort, hint, isLimited, isMulti, isUpsert });
      return [`${operation} ${collection} ${shape}`, query];
    }),
  );
}

export function indexesOf(collection: string): DeclaredIndex[] {
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
