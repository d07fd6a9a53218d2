import { applyEntry, type LedgerAccount } from './account.domain.ts';
import { type Balances, plus } from './balances.domain.ts';
import { type Entry, noDetails } from './entry.domain.ts';
import { expire, issue } from './movement.domain.ts';
import { periodOf, periodText } from './period.domain.ts';
import { dueAllowance, type FundingTerms } from './terms.domain.ts';

/** What of an account decides how a month begins for it. */
export interface PeriodState extends FundingTerms {
  readonly units: Balances;
  /** Time of the newest entry: what is available in units is of its period. */
  readonly lastAtMs: number;
}

/** Something that has to happen before anything else can in a period. */
export interface DueOpening {
  readonly kind: 'expire' | 'allowance';
  readonly amount: number;
  /** Once per account and period, whichever replica writes it. */
  readonly commandId: string;
}

export function periodStateOf(account: LedgerAccount): PeriodState {
  const { balances, lastAtMs, terms } = account;
  const { funding, allowedPeriod } = terms;
  return { units: balances.units, lastAtMs, funding, allowedPeriod };
}

/**
 * Units that are left of a month that is over expire; then a subscription grants its allowance.
 * Null when neither is due.
 */
export function dueOpening(state: PeriodState, atMs: number): DueOpening | null {
  const { units, funding } = state;
  if (units.available === 0 && funding.mode === 'credits') return null;
  const period = periodOf(atMs);
  if (units.available > 0 && periodOf(state.lastAtMs) < period) {
    const commandId = `expire:${periodText(periodOf(state.lastAtMs))}`;
    return { kind: 'expire', amount: units.available, commandId };
  }
  const amount = dueAllowance(state, units, atMs);
  if (amount <= 0) return null;
  return { kind: 'allowance', amount, commandId: `allowance:${periodText(period)}` };
}

/** One expiry and one allowance: both are made at the time they are due. */
const openingsMax = 2;

/** The entries that come before one of a time, and the account after them. */
export function openPeriod(
  account: LedgerAccount,
  from: number,
): { readonly account: LedgerAccount; readonly opening: readonly Entry[] } {
  const atMs = Math.max(from, account.lastAtMs);
  let opened = account;
  let opening = noOpening;
  for (let count = 0; count < openingsMax; count += 1) {
    const due = dueOpening(periodStateOf(opened), atMs);
    if (due === null) break;
    const entry = openingEntry(opened, due, atMs);
    opened = applyEntry(opened, entry);
    opening = [...opening, entry];
  }
  return { account: opened, opening };
}

/** The units as they are at a time, although nothing may have been written since. */
export function unitsAt(state: PeriodState, atMs: number): Balances {
  let { units, lastAtMs, allowedPeriod } = state;
  for (let count = 0; count < openingsMax; count += 1) {
    const due = dueOpening({ ...state, units, lastAtMs, allowedPeriod }, atMs);
    if (due === null) break;
    units = plus(units, openingMovement(due));
    if (due.kind === 'allowance') allowedPeriod = periodOf(atMs);
    lastAtMs = atMs;
  }
  return units;
}

export function openingMovement({ kind, amount }: DueOpening): Balances {
  return kind === 'expire' ? expire(amount) : issue(amount);
}

export const noOpening: readonly Entry[] = [];

function openingEntry(account: LedgerAccount, due: DueOpening, atMs: number): Entry {
  const change = openingMovement(due);
  return {
    ...noDetails,
    seq: account.lastSeq + 1,
    atMs,
    kind: due.kind,
    command: due.kind,
    commandId: due.commandId,
    asset: 'units',
    amount: due.amount,
    change,
    after: plus(account.balances.units, change),
    creditsAvailable: account.balances.credits.available,
    lowBalance: null,
    opening: noOpening,
  };
}
