import type { Account } from '../../src/accounts/account.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import { refund } from '../../src/accounts/movement.domain.ts';
import { periodOf } from '../../src/accounts/period.domain.ts';
import { amountsOf, listAmounts } from '../../src/accounts/project-amounts.domain.ts';
import { afterwards, type Call, faulty, moving, type PlantedFault } from './planted-fault.ts';
import { productRules } from './run-program.ts';

/** As if the command had met another account. */
function meeting(call: Call, change: (account: Account) => Partial<Account>): Evaluation {
  const [account, command, context] = call;
  return evaluate({ ...account, ...change(account) }, command, context);
}

const withTerms = ({ terms }: Account, change: Partial<Account['terms']>) => ({
  terms: { ...terms, ...change },
});

/** Each project's spend, changed. */
function spending(account: Account, change: (projectId: string, amount: number) => number) {
  const { spend } = account;
  const projects = listAmounts(spend.projects).map(({ projectId, amount }) => ({
    projectId,
    amount: change(projectId, amount),
  }));
  return { spend: { ...spend, projects: amountsOf(projects) } };
}

/** Faults in what a month brings: allowances, caps and warnings. */
export const plantedMonthFaults: readonly PlantedFault[] = [
  faulty(18, 'units that are left of a month stay', (call) =>
    meeting(call, ({ lastAt }) => ({ lastAt: Math.max(lastAt, call[2].now - 1) })),
  ),
  faulty(18, 'a switch of funding grants the month again', (call) =>
    call[1].kind === 'configure'
      ? meeting(call, (account) => withTerms(account, { allowedPeriod: 0 }))
      : evaluate(...call),
  ),
  faulty(18, 'a month without a use of it grants its allowance later', (call) =>
    meeting(call, (account) => {
      const { allowedPeriod } = account.terms;
      const isEarlier = allowedPeriod > 0 && allowedPeriod < periodOf(call[2].now) - 1;
      return isEarlier ? withTerms(account, { allowedPeriod: periodOf(call[2].now) }) : {};
    }),
  ),
  afterwards(
    19,
    'released units of a month that is over can be used',
    ['settle', 'release'],
    (evaluation, call) => {
      const { change } = evaluation.entry;
      return moving(evaluation, call, { ...change, available: change.expired, expired: 0 });
    },
  ),
  afterwards(19, 'reversed units never expire', ['reverse'], (evaluation, call) =>
    moving(evaluation, call, refund(0 - evaluation.entry.change.consumed, false)),
  ),
  faulty(20, 'open holds do not count towards a cap', (call) =>
    meeting(call, (account) =>
      spending(account, (projectId, amount) => {
        const holds = account.holds.buckets.flat();
        const held = holds.filter((hold) => hold.projectId === projectId);
        return Math.max(0, amount - held.reduce((sum, hold) => sum + hold.amount, 0));
      }),
    ),
  ),
  faulty(20, 'a cap counts the months before', (call) =>
    meeting(call, ({ spend }) => ({ spend: { ...spend, period: periodOf(call[2].now) } })),
  ),
  faulty(20, 'a cap may be passed by a page', (call) =>
    call[1].kind === 'charge'
      ? meeting(call, (account) => spending(account, (_projectId, amount) => amount - 1))
      : evaluate(...call),
  ),
  faulty(21, 'every entry below the threshold warns again', (call) =>
    meeting(call, (account) => {
      const { alert } = account.terms;
      return withTerms(account, { alert: alert && { ...alert, isArmed: true } });
    }),
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
