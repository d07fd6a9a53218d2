import { type Account, withBalances } from './account.ts';
import { areEqual } from './balances.ts';
import type { Entry } from './entry.ts';
import { fundingAsset } from './funding.ts';
import type { Hold } from './hold-set.ts';
import { dueOpening, openingMovement, periodStateOf } from './open-period.ts';
import { pastPeriod } from './period.ts';
import { capRefusal } from './spend.ts';
import { crossedAlert } from './terms.ts';

type Problems = (string | false)[];

/** A month begins with what is due then, once, and with nothing before it. */
export function openingProblems(account: Account, entry: Entry): Problems {
  const due = dueOpening(periodStateOf(account), entry.at);
  if (entry.kind !== 'expire' && entry.kind !== 'allowance') {
    return [due !== null && 'comes before what begins its month'];
  }
  const isDue =
    due?.kind === entry.kind &&
    due.commandId === entry.commandId &&
    entry.asset === 'units' &&
    areEqual(openingMovement(due), entry.change);
  return [!isDue && 'is not due'];
}

/** What is given back into a month that is over expires where it is units, and nothing else does. */
export function periodProblems(open: Hold | undefined, entry: Entry): Problems {
  const { kind, change } = entry;
  const resolves = kind === 'settle' || kind === 'release';
  if (!resolves && kind !== 'reverse') {
    return [entry.pastPeriod !== null && 'ends nothing of an earlier month'];
  }
  const expires = entry.asset === 'units' && entry.pastPeriod !== null;
  const misplaced = expires ? change.available : change.expired;
  const isOtherPeriod =
    resolves &&
    open !== undefined &&
    pastPeriod(open.reservedAt, entry.at) !== entry.pastPeriod &&
    'does not say which month its hold is of';
  return [misplaced !== 0 && 'gives back what has expired, or the reverse', isOtherPeriod];
}

/** Whether the account's funding, caps and alert were kept. */
export function termsProblems(account: Account, entry: Entry): Problems {
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const credits = entry.asset === 'units' ? balances.credits.available : null;
  return [
    entry.creditsAvailable !== credits && 'does not say which credits it left untouched',
    !isExpectedAlert(account, entry) && 'tells of a low balance where there is none, or does not',
    ...purchaseProblems(account, entry),
  ];
}

function isExpectedAlert(account: Account, entry: Entry): boolean {
  const isOpening = entry.kind === 'expire' || entry.kind === 'allowance';
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const expected = isOpening ? null : crossedAlert(account.terms, entry.configured, balances);
  const told = entry.lowBalance;
  return expected?.threshold === told?.threshold && expected?.available === told?.available;
}

function purchaseProblems(account: Account, entry: Entry): Problems {
  const { kind, change, projectId, at } = entry;
  if (kind !== 'reserve' && kind !== 'charge') return [];
  const required = kind === 'reserve' ? change.held : change.consumed;
  return [
    entry.asset !== fundingAsset(account.terms.funding) && 'is paid with what the account does not',
    projectId !== null &&
      capRefusal(account, { projectId, required, at }) !== null &&
      'passes the spend cap of its Project',
  ];
}
