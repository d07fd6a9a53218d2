import { accountId, projectId, refreshId } from '@inventory/contracts/ids';
import { ledgerAsset, productCode } from '@inventory/contracts/vocabulary';
import { dateOf } from '@inventory/runtime/clock';
import { BSON } from 'mongodb';
import { z } from 'zod';
import type { Account } from '../domain/account.ts';
import { holdSetOf, listHolds } from '../domain/hold-set.ts';
import { amountsOf, listAmounts } from '../domain/project-amounts.ts';
import type { ChainHead } from './commit-document.ts';
import { fromBalancesDocument, toBalancesDocument } from './entry-document.ts';
import { isIntact, seal } from './sealed-document.ts';

/**
 * A complete account at the end of one of its commits. It only saves reading: one that is wrong in
 * any way is ignored and the journal is read from its beginning.
 */
export interface Snapshot {
  readonly account: Account;
  readonly head: ChainHead;
}

/** Raised when this shape or the meaning of an entry changes; the one before is still read. */
export const snapshotFormat = 3;
/** Like the present one, without a hash. */
const unsealedFormat = 2;

const balances = z.object({
  available: z.int().optional(),
  held: z.int().optional(),
  consumed: z.int().optional(),
  expired: z.int().optional(),
  issued: z.int().optional(),
});
const hold = z.object({
  refreshId,
  projectId,
  productCode,
  asset: ledgerAsset,
  amount: z.int(),
  priceVersion: z.int(),
  reservedAt: z.date(),
});
const terms = z.object({
  funding: z.discriminatedUnion('mode', [
    z.object({ mode: z.literal('credits') }),
    z.object({ mode: z.literal('subscription'), unitsPerMonth: z.int() }),
  ]),
  allowedPeriod: z.int(),
  caps: z.array(z.object({ projectId, cap: z.int() })),
  alert: z.object({ threshold: z.int(), isArmed: z.boolean() }).nullable(),
});
const snapshotDocument = z.object({
  _id: accountId,
  /** {@link snapshotFormat} or {@link unsealedFormat}; others are not read. */
  format: z.int().refine((format) => [unsealedFormat, snapshotFormat].includes(format)),
  lastSeq: z.int(),
  lastAt: z.date(),
  headId: z.string(),
  headHash: z.string(),
  credits: balances,
  units: balances,
  /** Oldest first. */
  holds: z.array(hold),
  terms,
  spend: z.object({
    period: z.int(),
    projects: z.array(z.object({ projectId, amount: z.int() })),
  }),
  /** Absent where there is no hold. */
  oldestHoldAt: z.date().optional(),
  hash: z.string().optional(),
});
export type SnapshotDocument = z.infer<typeof snapshotDocument>;

export function toSnapshotDocument({ account, head }: Snapshot): SnapshotDocument {
  const { spend } = account;
  const holds = listHolds(account.holds);
  const oldest = holds[0];
  return seal({
    _id: account.accountId,
    format: snapshotFormat,
    lastSeq: account.lastSeq,
    lastAt: dateOf(account.lastAt),
    headId: head.commitId ?? '',
    headHash: head.hash,
    credits: toBalancesDocument(account.balances.credits),
    units: toBalancesDocument(account.balances.units),
    holds: holds.map((one) => ({ ...one, reservedAt: dateOf(one.reservedAt) })),
    terms: { ...account.terms, caps: [...account.terms.caps] },
    spend: { period: spend.period, projects: listAmounts(spend.projects) },
    ...(oldest ? { oldestHoldAt: dateOf(oldest.reservedAt) } : {}),
  });
}

export interface StoredSnapshot extends Snapshot {
  /** Whether the stored bytes are those that were hashed. */
  readonly isIntact: boolean;
}

/** Null for bytes that are no snapshot: it is as if there were none. */
export function readSnapshot(bytes: Uint8Array): StoredSnapshot | null {
  const parsed = snapshotDocument.safeParse(BSON.deserialize(bytes, { promoteBuffers: true }));
  if (!parsed.success) return null;
  const { format, hash } = parsed.data;
  try {
    const isSealed = hash !== undefined && isIntact(bytes, hash);
    const snapshot = fromSnapshotDocument(parsed.data);
    return { ...snapshot, isIntact: isSealed || format === unsealedFormat };
  } catch (error) {
    // Two holds of one refresh, for instance.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function fromSnapshotDocument(document: SnapshotDocument): Snapshot {
  const { spend } = document;
  const holds = document.holds.map((one) => ({ ...one, reservedAt: one.reservedAt.getTime() }));
  return {
    account: {
      accountId: document._id,
      lastSeq: document.lastSeq,
      lastAt: document.lastAt.getTime(),
      balances: {
        credits: fromBalancesDocument(document.credits),
        units: fromBalancesDocument(document.units),
      },
      holds: holdSetOf(holds),
      terms: document.terms,
      spend: { period: spend.period, projects: amountsOf(spend.projects) },
    },
    head: { commitId: document.headId, hash: document.headHash },
  };
}
