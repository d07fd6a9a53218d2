import { scopeKey } from '@inventory/contracts/scope';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { duplicateKeyOf } from '@inventory/mongo/duplicate-key';
import { pushToOutbox } from '@inventory/mongo/outbox';
import type { Clock } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Collection, UpdateFilter } from 'mongodb';
import type { Refresh } from '../domain/refresh.ts';
import type { RefreshDocument, StagedPageRecord } from './collections.ts';
import {
  changingFields,
  dueFields,
  fromDocument,
  type KeepingTimes,
  toNewDocument,
} from './mapping.ts';

/** A refresh and the trace of the request that asked for it. */
export interface StoredRefresh {
  readonly refresh: Refresh;
  readonly trace: TraceCarrier;
}

export type InsertResult =
  | { readonly result: 'inserted' }
  /** This attempt is stored already: its command came again. */
  | { readonly result: 'known' }
  /** Another attempt of the Project holds the Idempotency-Key. */
  | { readonly result: 'key_taken' };

/** Reads and writes whole refreshes; every write is conditional on what was read. */
export interface RefreshStore {
  insert(refresh: Refresh, trace: TraceCarrier): Promise<InsertResult>;
  find(id: string): Promise<StoredRefresh | null>;
  findByKey(projectId: string, idempotencyKey: string): Promise<StoredRefresh | null>;
  pages(id: string): Promise<readonly StagedPageRecord[]>;
  /**
   * Saves a step; false when the refresh changed meanwhile. Messages given here wait in the
   * document and leave through the outbox.
   */
  save(previous: Refresh, next: Refresh, messages?: readonly OutgoingMessage[]): Promise<boolean>;
}

const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

export function createRefreshStore(
  collection: Collection<RefreshDocument>,
  clock: Clock,
  keeping: KeepingTimes,
): RefreshStore {
  const toStored = (document: RefreshDocument | null): StoredRefresh | null =>
    document && { refresh: fromDocument(document), trace: document.trace };

  return {
    async insert(refresh, trace) {
      const key = scopeKey(refresh.scope);
      try {
        await collection.insertOne(toNewDocument(refresh, key, trace, clock.now(), keeping));
        return { result: 'inserted' };
      } catch (error) {
        const fields = duplicateKeyOf(error);
        if (fields?.includes('idempotencyKey')) return { result: 'key_taken' };
        if (fields) return { result: 'known' };
        throw error;
      }
    },
    find: async (id) => toStored(await collection.findOne({ _id: id }, withoutPages)),
    findByKey: async (projectId, idempotencyKey) =>
      toStored(await collection.findOne({ projectId, idempotencyKey } as object, withoutPages)),
    async pages(id) {
      const found = await collection.findOne({ _id: id }, { projection: { pages: 1 } });
      return found?.pages ?? [];
    },
    async save(previous, next, messages = []) {
      const now = clock.now();
      const update = updateTo(next, dueFields(next, now, keeping));
      const outbox = messages.length > 0 ? pushToOutbox(messages, new Date(now)) : {};
      const { modifiedCount } = await collection.updateOne(
        { _id: previous.id, version: previous.version } as object,
        { ...update, ...outbox } as UpdateFilter<RefreshDocument>,
      );
      return modifiedCount === 1;
    },
  };
}

const needsPages: readonly Refresh['phase'][] = ['collecting', 'assembling'];

/** Only `collecting` runs a scan, and only it and `assembling` still need the staged pages. */
function updateTo(next: Refresh, due: ReturnType<typeof dueFields>) {
  const scanFields = next.scan
    ? {
        'scan.epoch': next.scan.epoch,
        'scan.completedAt':
          next.scan.completedAtMs === null ? null : new Date(next.scan.completedAtMs),
      }
    : {};
  return {
    $set: { ...changingFields(next), ...scanFields, ...due, asks: 0 },
    $unset: {
      ...(next.phase === 'collecting' ? {} : { scanningScope: '' }),
      ...(needsPages.includes(next.phase) ? {} : { pages: '' }),
      ...(next.idempotencyKey === null ? { idempotencyKey: '' } : {}),
      ...(due.askAt ? {} : { askAt: '' }),
    },
  };
}
