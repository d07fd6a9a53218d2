import { dateOf } from '@inventory/runtime/clock';
import type { Collection } from 'mongodb';
import type { DeliveryDocument } from './webhook-collections.ts';

export interface DeliveryBacklog {
  readonly due: number;
  /** When the longest due one was due; null when none is. */
  readonly dueSinceMs: number | null;
  /** Under way, or waiting for a later attempt. */
  readonly retrying: number;
}

const countMax = 10_000;

/** Counts the deliveries that wait, by index and no further than {@link countMax}. */
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
