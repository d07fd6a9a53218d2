import { type AccountId, accountId, projectId, refreshId } from '@inventory/contracts/ids';
import { ledgerAsset, productCode } from '@inventory/contracts/vocabulary';
import { dateOf } from '@inventory/runtime/clock';
import { BSON } from 'mongodb';
import { z } from 'zod';
import type { Account } from '../domain/account.ts';
import { holdSetOf, listHolds } from '../domain/hold-set.ts';
import { LedgerConflict } from '../domain/ledger-conflict.ts';
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
/** The fields of an account at the end of a commit, as snapshots and checkpoints store them. */
export const accountFields = {
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
} as const;
const accountFieldsSchema = z.object(accountFields);
type AccountFields = z.infer<typeof accountFieldsSchema>;

const snapshotDocument = z.object({
  _id: accountId,
  /** {@link snapshotFormat} or {@link unsealedFormat}; others are not read. */
  format: z.int().refine((format) => [unsealedFormat, snapshotFormat].includes(format)),
  ...accountFields,
  /** Absent where there is no hold. */
  oldestHoldAt: z.date().optional(),
  hash: z.string().optional(),
});
export type SnapshotDocument = z.infer<typeof snapshotDocument>;

export function toSnapshotDocument(snapshot: Snapshot): SnapshotDocument {
  const fields = toAccountFields(snapshot);
  const oldest = fields.holds[0];
  return seal({
    _id: snapshot.account.accountId,
    format: snapshotFormat,
    ...fields,
    ...(oldest ? { oldestHoldAt: oldest.reservedAt } : {}),
  });
}

export function toAccountFields({ account, head }: Snapshot): AccountFields {
  const { spend } = account;
  return {
    lastSeq: account.lastSeq,
    lastAt: dateOf(account.lastAt),
    headId: head.commitId ?? '',
    headHash: head.hash,
    credits: toBalancesDocument(account.balances.credits),
    units: toBalancesDocument(account.balances.units),
    holds: listHolds(account.holds).map((one) => ({
      ...one,
      reservedAt: dateOf(one.reservedAt),
    })),
    terms: { ...account.terms, caps: [...account.terms.caps] },
    spend: { period: spend.period, projects: listAmounts(spend.projects) },
  };
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
  const snapshot = fromAccountFields(parsed.data._id, parsed.data);
  if (snapshot === null) return null;
  // One bit turns the number of the present format into that of the unsealed one.
  const isSound = hash === undefined ? format === unsealedFormat : isIntact(bytes, hash);
  return { ...snapshot, isIntact: isSound };
}

/** Null where the fields contradict each other, as two holds of one refresh do. */
export function fromAccountFields(owner: AccountId, fields: AccountFields): Snapshot | null {
  try {
    return fromFields(owner, fields);
  } catch (error) {
    if (error instanceof LedgerConflict) return null;
    throw error;
  }
}

function fromFields(owner: AccountId, document: AccountFields): Snapshot {
  const { spend } = document;
  const holds = document.holds.map((one) => ({ ...one, reservedAt: one.reservedAt.getTime() }));
  return {
    account: {
      accountId: owner,
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
