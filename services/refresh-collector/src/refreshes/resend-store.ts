import { readFirst } from '@inventory/mongo/parse-document';
import type { TypedCollection } from '@inventory/mongo/typed-collection';
import type { Backoff } from '@inventory/runtime/backoff';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { RefreshDocument } from '../collections.ts';
import { fromDocument, type StoredRefresh } from './refresh-mapping.ts';

/** Refreshes whose pending command has to be resent. */
export interface ResendStore {
  /** Claims those that are due and schedules their next resend; each goes to one replica only. */
  claimDueResends(limit: number): Promise<StoredRefresh[]>;
}

const doublingsMax = 10;

export function createResendStore(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  backoff: Backoff,
  logger: Pick<Logger, 'error'>,
): ResendStore {
  const withoutPages = { projection: { pages: 0, outbox: 0 } } as const;

  return {
    async claimDueResends(limit) {
      const nowMs = clock.now();
      const query = refreshes
        .find({ askAt: { $lte: new Date(nowMs) } }, withoutPages)
        .sort({ askAt: 1 });
      const due = await readFirst(query, limit, dueResend, logger);
      const claimed: StoredRefresh[] = [];
      for (const { stored, resendAt, resendCount } of due) {
        const { id: _id } = stored.refresh;
        const delayMs = backoff.firstMs * 2 ** Math.min(resendCount, doublingsMax);
        const nextAt = new Date(nowMs + Math.min(backoff.maxMs, delayMs));
        const { modifiedCount } = await refreshes.updateOne(
          { _id, askAt: resendAt },
          { $set: { askAt: nextAt }, $inc: { asks: 1 } },
        );
        if (modifiedCount === 1) claimed.push(stored);
      }
      return claimed;
    },
  };
}

function dueResend(document: RefreshDocument) {
  const stored = fromDocument(document);
  const { askAt: resendAt, asks: resendCount } = document;
  return resendAt ? [{ stored, resendAt, resendCount }] : [];
}
