import { newAccount } from '../../src/accounts/account.domain.ts';
import { holdSetOf, listHolds } from '../../src/accounts/hold-set.domain.ts';
import { stateOf } from './account-state.ts';
import { accounts } from './program.ts';
import { createLedger, type Invariant, newEntries, runProgram } from './run-program.ts';

export const stateIsTheFold: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const journal = ledger.journal(accountId);
    const live = ledger.account(accountId);
    if (journal.some((entry, index) => entry.seq !== index + 1)) return false;
    const cut = played.length % (journal.length + 1);
    const atCut = journal.slice(0, cut).reduce(rules.applyEntry, newAccount(accountId));
    const snapshot = { ...atCut, holds: holdSetOf(listHolds(atCut.holds)) };
    const resumed = journal.slice(cut).reduce(rules.applyEntry, snapshot);
    const folded = journal.reduce(rules.applyEntry, newAccount(accountId));
    return stateOf(folded) === stateOf(live) && stateOf(resumed) === stateOf(live);
  });
};

export const timeGoesOn: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const isClockOfLedger = newEntries(played).every(({ entry, step, met }) =>
    [...entry.opening, entry].every(({ atMs }) => atMs === Math.max(step.now, met.lastAtMs)),
  );
  const isOrdered = accounts.every((accountId) =>
    ledger
      .journal(accountId)
      .every((entry, index, all) => entry.atMs >= (all[index - 1]?.atMs ?? 0)),
  );
  return isClockOfLedger && isOrdered;
};

export const accountsAreApart: Invariant = (rules, program) => {
  const { ledger } = runProgram(rules, program);
  return accounts.every((accountId) => {
    const alone = createLedger(rules);
    for (const step of program) if (step.command.body.accountId === accountId) alone.play(step);
    return JSON.stringify(alone.journal(accountId)) === JSON.stringify(ledger.journal(accountId));
  });
};
