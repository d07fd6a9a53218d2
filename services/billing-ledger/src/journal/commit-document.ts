import type { AccountId } from '@inventory/contracts/ids';
import { Bug } from '@inventory/runtime/bug';
import { type LedgerAccount, usedAssets } from '../accounts/account.domain.ts';
import { type AccountLimits, limitsOf, noLimits } from '../accounts/account-limits.domain.ts';
import { type Entry, entryKeys } from '../accounts/entry.domain.ts';
import { noOpening } from '../accounts/open-period.domain.ts';
import type { Period } from '../accounts/period.domain.ts';
import type { FundingTerms } from '../accounts/terms.domain.ts';
import { storedCommandKey } from './command-key-mapping.ts';
import {
  fromStoredBalances,
  fromStoredEntry,
  type StoredBalances,
  type StoredEntry,
  toStoredBalances,
  toStoredEntry,
} from './entry-mapping.ts';
import { isIntact, type Sealed, seal, unseal } from './sealed-mapping.ts';

/**
 * All entries of one account that were made in one batch: one document, so they are stored
 * together or not at all. Its content is digested; the other fields repeat what the indexes need
 * of it. `_id` is the account and the first position, and the next commit
 * always begins at the last position + 1: of two writers that both try it, one is refused.
 */
export interface CommitDocument extends Sealed {
  readonly _id: string;
  readonly accountId: AccountId;
  readonly lastSeq: number;
  /** Time of the last entry. */
  readonly atMs: number;
  /** Under which of {@link storedCommandKey} its entries are found. */
  readonly commandKeys: readonly Buffer[];
}

interface CommitContent {
  readonly accountId: AccountId;
  readonly entries: readonly StoredEntry[];
  /** After the last entry, per asset ever used. */
  readonly balances: { readonly [Asset in keyof LedgerAccount['balances']]?: StoredBalances };
  /** After the last entry, where units fund the account: enough to compute how its month continues. */
  readonly subscription?: Subscription | undefined;
  /** After the last entry, where the account has caps or an alert; null where it has many caps. */
  readonly limits?: AccountLimits | null | undefined;
  /** Which process wrote it; for diagnosis only. */
  readonly writer: string;
  /** Hash of the account's commit before this one. */
  readonly prevHash: string;
}

/** What a subscription grants in a period, and the newest period that it granted it for. */
export interface Subscription {
  readonly unitsPerMonth: number;
  readonly allowedPeriod: Period;
}

/** Where an account's chain of commits ends. */
export interface ChainHead {
  readonly commitId: string | null;
  readonly hash: string;
}

/** The chain before the first commit. */
export const chainStart: ChainHead = { commitId: null, hash: '0'.repeat(64) };

/** What becomes a commit: `account` is the state after `entries`, of which there is at least one. */
export interface NewCommit {
  readonly account: LedgerAccount;
  readonly entries: readonly Entry[];
  readonly previous: ChainHead;
}

/** What a commit states of its account after its last entry. */
export interface CommitSummary {
  readonly lastSeq: number;
  readonly atMs: number;
  readonly balances: LedgerAccount['balances'];
  /** Null where the account pays with credits. */
  readonly subscription: Subscription | null;
}

/** A commit as read. */
export interface StoredCommit extends CommitSummary {
  readonly id: string;
  readonly accountId: AccountId;
  readonly firstSeq: number;
  readonly entries: readonly Entry[];
  /** Null where the commit does not carry it: it is read from the fold then. */
  readonly limits: AccountLimits | null;
  readonly prevHash: string;
  readonly hash: string;
  /** Whether its content is the one that was hashed, and its other fields are those of the content. */
  readonly isIntact: boolean;
}

/** Twelve digits: text order is number order up to 10^12 entries of one account. */
const seqDigits = 12;

export function commitId(accountId: AccountId, firstSeq: number): string {
  return `${accountId}/${String(firstSeq).padStart(seqDigits, '0')}`;
}

export function firstSeqOf(id: string): number {
  return Number(id.slice(-seqDigits));
}

/** Every commit id of an account lies in [from, to). */
export function commitIdRange(accountId: AccountId): { from: string; to: string } {
  return { from: `${accountId}/`, to: `${accountId}0` };
}

/** With more caps each commit would grow by kilobytes; such an account is read from its fold. */
const capsMax = 20;

export function sealCommit({ account, entries, previous }: NewCommit, writer: string) {
  const { accountId } = account;
  const content: CommitContent = {
    accountId,
    entries: entries.map(toStoredEntry),
    balances: Object.fromEntries(
      usedAssets(account.balances).map((asset) => [
        asset,
        toStoredBalances(account.balances[asset]),
      ]),
    ),
    subscription: subscriptionOf(account.terms) ?? undefined,
    limits: storedLimitsOf(limitsOf(account)),
    writer,
    prevHash: previous.hash,
  };
  return { ...indexedFields(accountId, entries), ...seal(content) };
}

function storedLimitsOf(limits: AccountLimits): CommitContent['limits'] {
  const { caps, alertThreshold } = limits;
  if (caps.length > capsMax) return null;
  return caps.length === 0 && alertThreshold === null ? undefined : limits;
}

function indexedFields(accountId: AccountId, entries: readonly Entry[]) {
  const [first, last] = [entries[0], entries.at(-1)];
  if (!first || !last) throw new RangeError('a commit holds at least one entry');
  const keys = entries.flatMap(entryKeys);
  return {
    _id: commitId(accountId, first.seq),
    accountId,
    lastSeq: last.seq,
    atMs: last.atMs,
    commandKeys: keys.map((key) => storedCommandKey(accountId, key)),
  };
}

/** A document that is no commit of ours. */
export class UnreadableCommit extends Bug {
  override name = 'UnreadableCommit';
  /** As far as it is readable. */
  readonly accountId: string;

  constructor(accountId: string, cause: unknown) {
    super('a stored commit is not readable', { cause });
    this.accountId = accountId;
  }
}

/** The journal of one account does not add up: nothing may be decided on it. */
export class BrokenJournal extends Bug {
  override name = 'BrokenJournal';
}

/** Whether an error says that the journal of the account is broken, and not the way to it. */
export function isBroken(error: unknown): error is Error {
  return error instanceof BrokenJournal || error instanceof UnreadableCommit;
}

/** For reads that show or decide money: throws {@link BrokenJournal} where a commit was changed. */
export function requireIntact(commits: readonly StoredCommit[]): readonly StoredCommit[] {
  const changed = commits.find(({ isIntact }) => !isIntact);
  if (changed) throw new BrokenJournal(`commit ${changed.id}: hash mismatch`);
  return commits;
}

/** Nothing where a commit among those read is broken: verification reports it. */
export async function unlessBroken<Value>(
  reading: Promise<readonly Value[]>,
): Promise<readonly Value[]> {
  try {
    return await reading;
  } catch (error) {
    if (isBroken(error)) return [];
    throw error;
  }
}

/** Throws {@link UnreadableCommit}. */
export function readCommit(document: CommitDocument): StoredCommit {
  try {
    return fromCommitDocument(document);
  } catch (error) {
    throw new UnreadableCommit(String(document.accountId ?? 'unknown'), error);
  }
}

function fromCommitDocument(document: CommitDocument): StoredCommit {
  if (typeof document._id !== 'string') throw new TypeError('a commit has an id of text');
  const content = unseal(document) as CommitContent;
  const { accountId, limits, prevHash } = content;
  const stored = content.entries.map(fromStoredEntry);
  const indexed = indexedFields(accountId, stored);
  return {
    id: document._id,
    accountId,
    firstSeq: firstSeqOf(indexed._id),
    lastSeq: indexed.lastSeq,
    atMs: indexed.atMs,
    entries: withOpenings(stored),
    balances: {
      credits: fromStoredBalances(content.balances.credits ?? {}),
      units: fromStoredBalances(content.balances.units ?? {}),
    },
    subscription: content.subscription ?? null,
    limits: limits === undefined ? noLimits : limits,
    prevHash,
    hash: document.hash,
    isIntact: isIntact(document, indexed),
  };
}

export function subscriptionOf({ funding, allowedPeriod }: FundingTerms): Subscription | null {
  if (funding.mode === 'credits') return null;
  return { unitsPerMonth: funding.unitsPerMonth, allowedPeriod };
}

export function isSameSubscription(left: Subscription | null, right: Subscription | null): boolean {
  return (
    left?.unitsPerMonth === right?.unitsPerMonth && left?.allowedPeriod === right?.allowedPeriod
  );
}

/** Gives each entry those before it that began its month; they are never apart from it. */
function withOpenings(entries: readonly Entry[]): readonly Entry[] {
  let opening = noOpening;
  return entries.map((entry) => {
    if (entry.kind === 'expire' || entry.kind === 'allowance') {
      opening = [...opening, entry];
      return entry;
    }
    if (opening.length === 0) return entry;
    const opened = { ...entry, opening };
    opening = noOpening;
    return opened;
  });
}
