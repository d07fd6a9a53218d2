import type { Command } from '../../src/accounts/command.domain.ts';
import { outcomeId, outcomeOf, publishedOutcomeOf } from '../../src/accounts/outcome.domain.ts';
import { moneyOf, stateOf } from './account-state.ts';
import { accounts, commandOf, priceLists, startMs, withBody } from './program.ts';
import { createReferenceModel } from './reference-model.ts';
import { type Invariant, type Played, playProgram, runProgram } from './run-program.ts';

export const outcomesStick: Invariant = (rules, program) => {
  const { ledger, played } = playProgram(rules, program);
  const tellAgain = (step: Played['step']) => {
    const before = stateOf(ledger.account(step.command.body.accountId));
    const again = ledger.play({ ...step, now: step.now + 86_400_000 });
    const isUnchanged = before === stateOf(ledger.account(step.command.body.accountId));
    return { again, isUnchanged };
  };
  // Money arrives in between: what was refused for want of it stays refused.
  for (const [index, accountId] of accounts.entries()) {
    const asset = index === 0 ? 'credits' : 'units';
    const booking = { asset, amount: 1_000, reason: 'late' } as const;
    const ids = { accountId, requestId: 'req_', commandId: 'grant:late' } as const;
    ledger.play({ command: commandOf('grant', { ...ids, ...booking }), now: startMs });
  }
  return played.toReversed().every(({ step, result, entry }) => {
    const first = { result: result === 'new' ? ('recorded' as const) : result, entry };
    const { again, isUnchanged } = tellAgain(step);
    const outcomes = JSON.stringify(publishedOutcomeOf(step.command, first));
    const repeated = { result: again.result as typeof first.result, entry: again.entry };
    if (again.result === 'new' || !isUnchanged) return false;
    if (outcomes !== JSON.stringify(publishedOutcomeOf(step.command, repeated))) return false;
    const other = withOtherContent(step.command);
    if (!other || first.result !== 'recorded') return true;
    const conflicting = tellAgain({ ...step, command: other });
    return conflicting.again.result === 'conflict' && conflicting.isUnchanged;
  });
};

/** Null where a command has no content beside its id, or the first one stands whatever comes. */
function withOtherContent(command: Command): Command | null {
  switch (command.type) {
    case 'billing.reserve.v1':
    case 'billing.charge.v1':
      return withBody(command, { projectId: 'prj_other' });
    case 'billing.grant.v1':
    case 'billing.adjust.v1':
      return withBody(command, { amount: command.body.amount + 1 });
    case 'billing.configure.v1':
      return withBody(command, { reason: 'another' });
    default:
      return null;
  }
}

export const refusalsMoveNothing: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  return played.every(({ result, entry, before, account }) => {
    if (result !== 'new') return stateOf(before) === stateOf(account);
    return entry.refusal === null || moneyOf(before) === moneyOf(account);
  });
};

export const outcomesAreTheEntries: Invariant = (rules, program) => {
  const { ledger, played } = runProgram(rules, program);
  const outcomes = new Map<string, string>();
  for (const { step, result, entry } of played) {
    if (result === 'precluded') continue;
    for (const one of [...entry.opening, entry]) {
      const outcome = outcomeOf(step.command.body.accountId, one);
      outcomes.set(outcomeId(outcome), JSON.stringify(outcome));
    }
  }
  const journaled = accounts.flatMap((accountId) =>
    ledger.journal(accountId).map((entry) => outcomeOf(accountId, entry)),
  );
  const commands = new Set(journaled.map((outcome) => `${outcome.accountId} ${outcome.commandId}`));
  return (
    commands.size === journaled.length &&
    outcomes.size === journaled.length &&
    journaled.every((outcome) => outcomes.get(outcomeId(outcome)) === JSON.stringify(outcome))
  );
};

export const agreesWithTheModel: Invariant = (rules, program) => {
  const { played } = runProgram(rules, program);
  const model = createReferenceModel(priceLists);
  if (played.length < program.length) return false;
  return played.every(({ step, result, entry }) => {
    const expected = model.replyTo(step);
    const isRefused = entry.refusal !== null;
    const fate = { new: isRefused ? 'refused' : 'applied', recorded: 'repeated' }[
      result as 'new' | 'recorded'
    ];
    if ((fate ?? result) !== expected.fate) return false;
    if (result !== 'new') return true;
    const { available, held, consumed } = entry.after;
    return (
      (entry.refusal?.code ?? null) === expected.code &&
      (entry.lowBalance?.available ?? null) === expected.low &&
      available === expected.available &&
      held === expected.held &&
      consumed === expected.consumed
    );
  });
};
