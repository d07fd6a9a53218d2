import { type Account, withBalances } from '../accounts/account.domain.ts';
import { areEqual } from '../accounts/balances.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { fundingAsset } from '../accounts/funding.domain.ts';
import type { Hold } from '../accounts/hold-set.domain.ts';
import { dueOpening, openingMovement, periodStateOf } from '../accounts/open-period.domain.ts';
import { pastPeriod } from '../accounts/period.domain.ts';
import { capRefusal } from '../accounts/spend.domain.ts';
import { crossedAlert } from '../accounts/terms.domain.ts';

type Problems = (string | false)[];

/** A month begins with what is due then, once, and with nothing before it. */
export function openingProblems(account: Account, entry: Entry): Problems {
  const due = dueOpening(periodStateOf(account), entry.at);
  if (entry.kind !== 'expire' && entry.kind !== 'allowance') {
    return [due !== null && 'month opening missing'];
  }
  const isDue =
    due?.kind === entry.kind &&
    due.commandId === entry.commandId &&
    entry.asset === 'units' &&
    areEqual(openingMovement(due), entry.change);
  return [!isDue && 'month opening not due'];
}

/** Units released or refunded into a past month expire; nothing else does. */
export function periodProblems(open: Hold | undefined, entry: Entry): Problems {
  const { kind, change } = entry;
  const resolves = kind === 'settle' || kind === 'release';
  if (!resolves && kind !== 'reverse') {
    return [entry.pastPeriod !== null && 'past period without a hold or charge of one'];
  }
  const expires = entry.asset === 'units' && entry.pastPeriod !== null;
  const misplaced = expires ? change.available : change.expired;
  const isOtherPeriod =
    resolves &&
    open !== undefined &&
    pastPeriod(open.reservedAt, entry.at) !== entry.pastPeriod &&
    'hold period missing';
  return [
    misplaced !== 0 && 'released units of a past period are not expired, or current ones are',
    isOtherPeriod,
  ];
}

/** Whether the account's funding, caps and alert were kept. */
export function termsProblems(account: Account, entry: Entry): Problems {
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const credits = entry.asset === 'units' ? balances.credits.available : null;
  return [
    entry.creditsAvailable !== credits && 'available credits missing or wrong',
    !isExpectedAlert(account, entry) && 'low-balance alert missing or unexpected',
    ...purchaseProblems(account, entry),
  ];
}

function isExpectedAlert(account: Account, entry: Entry): boolean {
  const isOpening = entry.kind === 'expire' || entry.kind === 'allowance';
  const balances = withBalances(account.balances, entry.asset, entry.after);
  const expected = isOpening ? null : crossedAlert(account.terms, entry.configured, balances);
  const { lowBalance } = entry;
  return (
    expected?.threshold === lowBalance?.threshold && expected?.available === lowBalance?.available
  );
}

function purchaseProblems(account: Account, entry: Entry): Problems {
  const { kind, change, projectId, at } = entry;
  if (kind !== 'reserve' && kind !== 'charge') return [];
  const required = kind === 'reserve' ? change.held : change.consumed;
  return [
    entry.asset !== fundingAsset(account.terms.funding) && 'asset does not match the funding',
    projectId !== null &&
      capRefusal(account, { projectId, required, at }) !== null &&
      'exceeds the spend cap of its Project',
  ];
}
