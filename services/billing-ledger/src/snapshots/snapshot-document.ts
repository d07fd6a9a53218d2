import { isDeepStrictEqual } from 'node:util';
import type { AccountId } from '@inventory/contracts/ids';
import type { LedgerAccount } from '../accounts/account.domain.ts';
import { type Hold, holdSetOf, listHolds } from '../accounts/hold-set.domain.ts';
import { amountsOf, listAmounts } from '../accounts/spend-amounts.domain.ts';
import type { Terms } from '../accounts/terms.domain.ts';
import type { ChainHead } from '../journal/commit-document.ts';
import { isIntact, type Sealed, seal, unseal } from '../journal/sealed-mapping.ts';

/**
 * A complete account at the end of one of its commits. It only saves reading: one that is wrong in
 * any way is ignored and the journal is read from its beginning.
 */
export interface Snapshot {
  readonly account: LedgerAccount;
  readonly head: ChainHead;
}

/** Raised when the content or the meaning of an entry changes; others are not read. */
export const snapshotFormat = 4;

export interface SnapshotDocument extends Sealed {
  readonly _id: AccountId;
  readonly format: number;
  readonly lastSeq: number;
  /** Absent where there is no hold. */
  readonly oldestHoldAtMs?: number;
}

interface SnapshotContent {
  readonly accountId: AccountId;
  readonly lastSeq: number;
  readonly lastAtMs: number;
  readonly balances: LedgerAccount['balances'];
  readonly terms: Terms;
  /** Oldest first. */
  readonly holds: readonly Hold[];
  readonly spend: {
    readonly period: LedgerAccount['spend']['period'];
    readonly spenders: ReturnType<typeof listAmounts>;
  };
  readonly head: ChainHead;
}

export interface StoredSnapshot {
  readonly accountId: AccountId;
  readonly lastSeq: number;
  /** Null where the document was changed. */
  readonly snapshot: Snapshot | null;
}

export function toSnapshotDocument(snapshot: Snapshot): SnapshotDocument {
  const content = toContent(snapshot);
  return { ...indexedFields(content), ...seal(content) };
}

function toContent({ account, head }: Snapshot): SnapshotContent {
  const { accountId, lastSeq, lastAtMs, balances, terms } = account;
  const { period, spenders } = account.spend;
  const spend = { period, spenders: listAmounts(spenders) };
  const holds = listHolds(account.holds);
  return { accountId, lastSeq, lastAtMs, balances, holds, terms, spend, head };
}

export function isSameState(left: Snapshot, right: Snapshot): boolean {
  return isDeepStrictEqual(toContent(left), toContent(right));
}

function indexedFields({ accountId, lastSeq, holds: [oldest] }: SnapshotContent) {
  const oldestHold = oldest && { oldestHoldAtMs: oldest.reservedAtMs };
  return { _id: accountId, format: snapshotFormat, lastSeq, ...oldestHold };
}

/** Null for one of another format: it is as if there were none. */
export function readSnapshot(document: SnapshotDocument): StoredSnapshot | null {
  const { _id: accountId, format, lastSeq } = document;
  if (format !== snapshotFormat) return null;
  return { accountId, lastSeq, snapshot: unsealed(document) };
}

/** Null where it was changed: what is no content of ours fails in many ways. */
function unsealed(document: SnapshotDocument): Snapshot | null {
  try {
    const content = unseal(document) as SnapshotContent;
    if (!isIntact(document, indexedFields(content))) return null;
    const { holds, spend, head, ...account } = content;
    const spenders = amountsOf(spend.spenders);
    const whole = { ...account, holds: holdSetOf(holds), spend: { ...spend, spenders } };
    return { account: whole, head };
  } catch {
    return null;
  }
}
