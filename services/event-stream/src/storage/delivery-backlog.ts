import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { DeliveryDocument } from '../webhooks/webhook-document.ts';

export interface DeliveryBacklog {
  readonly due: number;
  /** When the oldest due delivery became due; null when none is. */
  readonly dueSinceMs: number | null;
  /** In flight, or waiting for a retry. */
  readonly retrying: number;
}

const countMax = 10_000;

/** Counts pending deliveries by index, up to {@link countMax}. */
export async function countBacklog(
  deliveries: Collection<DeliveryDocument>,
  nowMs: number,
): Promise<DeliveryBacklog> {
  const pending = (nextAttemptAt: object) => ({ state: 'pending' as const, nextAttemptAt });
  const due = pending({ $lte: dateOf(nowMs) });
  const [dueCount, retrying, first] = await Promise.all([
    deliveries.countDocuments(due, { limit: countMax }),
    deliveries.countDocuments(pending({ $gt: dateOf(nowMs) }), { limit: countMax }),
    deliveries.findOne(due, { sort: { nextAttemptAt: 1 }, projection: { nextAttemptAt: 1 } }),
  ]);
  return { due: dueCount, retrying, dueSinceMs: first?.nextAttemptAt?.getTime() ?? null };
}
