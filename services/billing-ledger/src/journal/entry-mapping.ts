import { type Balances, noBalances } from '../accounts/balances.domain.ts';
import type { Entry, EntryDetails, EntryHead } from '../accounts/entry.domain.ts';
import { noOpening } from '../accounts/open-period.domain.ts';

/** Balances as stored: what is 0 is left out. */
export type StoredBalances = { -readonly [Name in keyof Balances]?: Balances[Name] };

type Nullable = keyof EntryDetails | 'creditsAvailable' | 'lowBalance';

/** An entry as stored: what is null is left out, and so are those that it opens with. */
export type StoredEntry = EntryHead & {
  readonly [Field in Nullable]?: NonNullable<Entry[Field]>;
} & { readonly change: StoredBalances; readonly after: StoredBalances };

export function toStoredEntry(entry: Entry): StoredEntry {
  const stored: Record<string, unknown> = {};
  for (const field of Object.keys(entry) as (keyof Entry)[]) {
    if (entry[field] !== null && field !== 'opening') stored[field] = entry[field];
  }
  stored['change'] = toStoredBalances(entry.change);
  stored['after'] = toStoredBalances(entry.after);
  return stored as unknown as StoredEntry;
}

/** Field by field: millions are read at once, and objects of one shape are read fastest. */
export function fromStoredEntry(stored: StoredEntry): Entry {
  return {
    seq: stored.seq,
    atMs: stored.atMs,
    kind: stored.kind,
    command: stored.command,
    commandId: stored.commandId,
    precludes: stored.precludes ?? null,
    asset: stored.asset,
    change: fromStoredBalances(stored.change),
    after: fromStoredBalances(stored.after),
    productCode: stored.productCode ?? null,
    priceVersion: stored.priceVersion ?? null,
    pricedAtMs: stored.pricedAtMs ?? null,
    projectId: stored.projectId ?? null,
    credentialId: stored.credentialId ?? null,
    refreshId: stored.refreshId ?? null,
    requestId: stored.requestId ?? null,
    maxCredits: stored.maxCredits ?? null,
    pageCount: stored.pageCount ?? null,
    amount: stored.amount ?? null,
    reason: stored.reason ?? null,
    outcome: stored.outcome ?? null,
    observedAssets: stored.observedAssets ?? null,
    disposition: stored.disposition ?? null,
    refusal: stored.refusal ?? null,
    configured: stored.configured ?? null,
    pastPeriod: stored.pastPeriod ?? null,
    creditsAvailable: stored.creditsAvailable ?? null,
    lowBalance: stored.lowBalance ?? null,
    opening: noOpening,
  };
}

const names = Object.keys(noBalances) as (keyof Balances)[];

export function toStoredBalances(balances: Balances): StoredBalances {
  const stored: StoredBalances = {};
  for (const name of names) if (balances[name] !== 0) stored[name] = balances[name];
  return stored;
}

export function fromStoredBalances(stored: StoredBalances): Balances {
  return {
    available: stored.available ?? 0,
    held: stored.held ?? 0,
    consumed: stored.consumed ?? 0,
    expired: stored.expired ?? 0,
    issued: stored.issued ?? 0,
  };
}
