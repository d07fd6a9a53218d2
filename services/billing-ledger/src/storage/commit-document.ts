import type { AccountId } from '@inventory/contracts/ids';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { Bug } from '@inventory/runtime/bug';
import { dateOf } from '@inventory/runtime/clock';
import { BSON } from 'mongodb';
import { type Account, usedAssets } from '../domain/account.ts';
import { type Entry, entryKeys } from '../domain/entry.ts';
import { noOpening } from '../domain/open-period.ts';
import type { Period } from '../domain/period.ts';
import { type Standing, standingOf } from '../domain/standing.ts';
import { storedCommandKey } from './command-key.ts';
import {
  type BalancesDocument,
  type EntryDocument,
  fromBalancesDocument,
  fromEntryDocument,
  toBalancesDocument,
  toEntryDocument,
} from './entry-document.ts';
import { isIntact, type Sealed, seal } from './sealed-document.ts';
import {
  fromStandingDocument,
  type StandingDocument,
  toStandingDocument,
} from './standing-document.ts';

/**
 * All entries of one account that were made in one batch: one document, so they are stored
 * together or not at all. `_id` is the account and the first position, and the next commit always
 * begins at the last position + 1: of two writers that both try it, one is refused.
 */
export interface CommitDocument extends Sealed {
  readonly _id: string;
  /** 1: without `standing`. */
  readonly format: 1 | typeof commitFormat;
  readonly accountId: AccountId;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Time of the last entry. */
  readonly at: Date;
  /** Under which of {@link storedCommandKey} its entries are found. */
  readonly commandKeys: readonly Uint8Array[];
  readonly entries: readonly EntryDocument[];
  /** After the last entry, per asset ever used. */
  readonly balances: { readonly [Asset in LedgerAsset]?: BalancesDocument };
  /** After the last entry, where units fund the account: enough to compute how its month continues. */
  readonly subscription?: Subscription;
  /** After the last entry, where the account has caps or an alert. */
  readonly standing?: StandingDocument;
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

const commitFormat = 2;

/** Where an account's chain of commits ends. */
export interface ChainHead {
  readonly commitId: string | null;
  readonly hash: string;
}

/** The chain before the first commit. */
export const chainStart: ChainHead = { commitId: null, hash: '0'.repeat(64) };

/** What becomes a commit: `account` is the state after `entries`, of which there is at least one. */
export interface NewCommit {
  readonly account: Pick<Account, 'accountId' | 'balances' | 'terms' | 'spend'>;
  readonly entries: readonly Entry[];
  readonly previous: ChainHead;
}

/** A commit as read; `isIntact` is whether its bytes still are those that were hashed. */
export interface StoredCommit {
  readonly id: string;
  readonly accountId: AccountId;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly keys: readonly Uint8Array[];
  readonly entries: readonly Entry[];
  readonly balances: Account['balances'];
  /** Null where the account pays with credits. */
  readonly subscription: Subscription | null;
  /** Null where the commit does not carry it: it is read from the fold then. */
  readonly standing: Standing | null;
  readonly prevHash: string;
  readonly hash: string;
  readonly isIntact: boolean;
}

/** Twelve digits: text order is number order up to 10^12 entries of one account. */
export function commitId(accountId: AccountId, firstSeq: number): string {
  return `${accountId}/${String(firstSeq).padStart(12, '0')}`;
}

/** Every commit id of an account lies in [from, to). */
export function commitIdRange(accountId: AccountId): { from: string; to: string } {
  return { from: `${accountId}/`, to: `${accountId}0` };
}

/** The keys of a commit with these entries. */
export function storedKeysOf(accountId: AccountId, entries: readonly Entry[]): Uint8Array[] {
  return entries.flatMap(entryKeys).map((key) => storedCommandKey(accountId, key));
}

export function sealCommit(commit: NewCommit, writer: string): CommitDocument {
  return seal(toUnsealedDocument(commit, writer));
}

/** Bytes that are no commit of ours. */
export class UnreadableCommit extends Bug {
  override name = 'UnreadableCommit';
  /** As far as it is readable. */
  readonly accountId: string;

  constructor(accountId: string, cause: unknown) {
    super('a stored commit is not readable', { cause });
    this.accountId = accountId;
  }
}

/** The hash covers invalid UTF-8, so decoding does not check for it. */
const reading = { promoteBuffers: true, validation: { utf8: false } } as const;

/** Throws {@link UnreadableCommit}. */
export function readCommit(bytes: Uint8Array): StoredCommit {
  let document: Partial<CommitDocument> = {};
  try {
    document = BSON.deserialize(bytes, reading);
    return fromCommitDocument(document as CommitDocument, bytes);
  } catch (error) {
    throw new UnreadableCommit(String(document.accountId ?? 'unknown'), error);
  }
}

function fromCommitDocument(document: CommitDocument, bytes: Uint8Array): StoredCommit {
  const { credits, units } = document.balances;
  if (typeof document._id !== 'string' || typeof document.accountId !== 'string') {
    throw new TypeError('a commit names its account');
  }
  return {
    id: document._id,
    accountId: document.accountId,
    firstSeq: document.firstSeq,
    lastSeq: document.lastSeq,
    at: document.at.getTime(),
    keys: document.commandKeys,
    entries: withOpenings(document.entries.map(fromEntryDocument)),
    balances: {
      credits: fromBalancesDocument(credits ?? {}),
      units: fromBalancesDocument(units ?? {}),
    },
    subscription: document.subscription ?? null,
    standing: document.format === 1 ? null : fromStandingDocument(document.standing),
    prevHash: document.prevHash,
    hash: document.hash,
    isIntact: isIntact(bytes, document.hash),
  };
}

function toUnsealedDocument(commit: NewCommit, writer: string): Omit<CommitDocument, 'hash'> {
  const { account, entries, previous } = commit;
  const first = entries[0];
  const last = entries.at(-1);
  if (!first || !last) throw new RangeError('a commit holds at least one entry');
  const subscription = subscriptionOf(account);
  const standing = toStandingDocument(standingOf(account));
  return {
    _id: commitId(account.accountId, first.seq),
    format: commitFormat,
    accountId: account.accountId,
    firstSeq: first.seq,
    lastSeq: last.seq,
    at: dateOf(last.at),
    commandKeys: storedKeysOf(account.accountId, entries),
    entries: entries.map(toEntryDocument),
    balances: Object.fromEntries(
      usedAssets(account).map((asset) => [asset, toBalancesDocument(account.balances[asset])]),
    ),
    ...(subscription === null ? {} : { subscription }),
    ...(standing === null ? {} : { standing }),
    writer,
    prevHash: previous.hash,
  };
}

export function subscriptionOf({ terms }: Pick<Account, 'terms'>): Subscription | null {
  const { funding, allowedPeriod } = terms;
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
