import { type Account, applyEntry, withBalances } from './account.domain.ts';
import { plus } from './balances.domain.ts';
import { type Command, commandKey } from './command.domain.ts';
import {
  type Decision,
  decideCharge,
  decideConfigure,
  decideIssue,
  decideReserve,
  decideResolution,
  decideReverse,
  type EvaluationContext,
} from './decision.domain.ts';
import { type DuplicateResult, resolveDuplicate } from './duplicate-command.domain.ts';
import { type Entry, noDetails } from './entry.domain.ts';
import { openPeriod } from './open-period.domain.ts';
import { crossedAlert } from './terms.domain.ts';

export interface Evaluation {
  /**
   * `new`: the entry is to be journaled, behind its `opening`. Otherwise it is there already and
   * nothing changes.
   */
  readonly result: 'new' | DuplicateResult;
  readonly entry: Entry;
  /** The account after it. */
  readonly account: Account;
}

/**
 * What one command does to an account. Every command that was not answered before makes exactly
 * one entry, a refusal too: a refused command stays refused, whatever is topped up later. The
 * first entry of a month may need others before it that begin the month.
 */
export function evaluate(
  account: Account,
  command: Command,
  context: EvaluationContext,
): Evaluation {
  const earlier = context.recorded(commandKey(command));
  if (earlier) return { result: resolveDuplicate(earlier, command), entry: earlier, account };
  const { account: opened, opening } = openPeriod(account, context.now);
  const at = Math.max(context.now, opened.lastAt);
  const decision = decide(opened, command, at, context);
  const entry = entryOf(opened, command, { at, opening, decision });
  return { result: 'new', entry, account: applyEntry(opened, entry) };
}

function decide(
  account: Account,
  command: Command,
  at: number,
  context: EvaluationContext,
): Decision {
  switch (command.kind) {
    case 'reserve':
      return decideReserve(account, command, at, context);
    case 'settle':
    case 'release':
      return decideResolution(account, command, at, context);
    case 'charge':
      return decideCharge(account, command, at, context);
    case 'reverse':
      return decideReverse(account, command, at, context);
    case 'grant':
    case 'adjust':
      return decideIssue(account, command);
    case 'configure':
      return decideConfigure(account, command);
  }
}

interface Made {
  readonly at: number;
  readonly opening: readonly Entry[];
  readonly decision: Decision;
}

function entryOf(account: Account, command: Command, { at, opening, decision }: Made): Entry {
  const { asset } = decision;
  const after = plus(account.balances[asset], decision.change);
  const balances = withBalances(account.balances, asset, after);
  return {
    ...noDetails,
    ...decision,
    seq: account.lastSeq + 1,
    at,
    command: command.kind,
    commandId: command.commandId,
    after,
    creditsAvailable: asset === 'units' ? balances.credits.available : null,
    lowBalance: crossedAlert(account.terms, decision.configured ?? null, balances),
    opening,
  };
}
