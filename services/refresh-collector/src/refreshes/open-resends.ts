import type { Logger } from '@inventory/runtime/logger';
import { createWorkQueue, type WorkQueue } from '@inventory/work/work-queue';
import { type Collections, documents } from '../collections.ts';
import { fromDocument, type ResendQueue, type StoredRefresh } from './refresh-mapping.ts';

/** Resends of refreshes, by their queue. */
export type Resends = Readonly<Record<ResendQueue, WorkQueue<StoredRefresh>>>;

export function openResends(
  collection: Collections['refreshes'],
  logger: Pick<Logger, 'error'>,
): Resends {
  const queueOf = (queue: ResendQueue) =>
    createWorkQueue({
      collection,
      documents: documents.refresh,
      queue,
      projection: { pages: 0, outbox: 0 },
      toItem: fromDocument,
      completed: 'kept',
      logger,
    });
  return { commands: queueOf('commands'), announcements: queueOf('announcements') };
}
