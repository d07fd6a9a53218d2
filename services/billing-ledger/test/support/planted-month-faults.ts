import type { LedgerAccount } from '../../src/accounts/account.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import { refund } from '../../src/accounts/movement.domain.ts';
import { amountsOf, listAmounts } from '../../src/accounts/spend-amounts.domain.ts';
import { afterwards, type Call, faulty, moving, type PlantedFault } from './planted-fault.ts';
import { productRules } from './run-program.ts';

/** As if the command had met another account. */
function meeting(
  call: Call,
  change: (account: LedgerAccount) => Partial<LedgerAccount>,
): Evaluation {
  const [account, command, context] = call;
  return evaluate({ ...account, ...change(account) }, command, context);
}

/** What each Project or Credential spent, changed. */
function spending(account: LedgerAccount, change: (spenderId: string, amount: number) => number) {
  const { spend } = account;
  const spenders = listAmounts(spend.spenders).map(({ spenderId, amount }) => ({
    spenderId,
    amount: change(spenderId, amount),
  }));
  return { spend: { ...spend, spenders: amountsOf(spenders) } };
}

/** Faults in what a month brings: allowances, caps and warnings. */
export const plantedMonthFaults: readonly PlantedFault[] = [
  faulty(18, 'units that are left of a month stay', (call) =>
    meeting(call, ({ lastAtMs }) => ({ lastAtMs: Math.max(lastAtMs, call[2].now - 1) })),
  ),
  afterwards(19, 'reversed units never expire', ['reverse'], (evaluation, call) =>
    moving(evaluation, call, refund(0 - evaluation.entry.change.consumed, false)),
  ),
  faulty(20, 'a cap may be passed by a page', (call) =>
    call[1].type === 'billing.charge.v1'
      ? meeting(call, (account) => spending(account, (_projectId, amount) => amount - 1))
      : evaluate(...call),
  ),
  faulty(20, 'the cap of a Credential is not checked', (call) =>
    meeting(call, ({ terms }) => ({
      terms: { ...terms, caps: terms.caps.filter((cap) => 'projectId' in cap) },
    })),
  ),
  afterwards(21, 'a reservation never warns', ['reserve'], (evaluation) => ({
    ...evaluation,
    entry: { ...evaluation.entry, lowBalance: null },
  })),
  {
    breaks: 22,
    fault: 'a balance shows what the last month left',
    rules: { ...productRules, unitsAt: (state) => state.units },
  },
];
