import { type Account, applyEntry } from './account.ts';
import { plus } from './balances.ts';
import { type Command, commandKey } from './command.ts';
import { decideIssue } from './decide-issue.ts';
import { decideCharge, decideReverse } from './decide-page.ts';
import { decideReserve, decideResolution } from './decide-refresh.ts';
import type { Decision } from './decision.ts';
import type { Entry } from './entry.ts';
import type { EvaluationContext } from './evaluation-context.ts';
import { type RepetitionVerdict, verdictOnRepetition } from './repetition.ts';

export interface Evaluation {
  /** `new`: the entry is to be journaled. Otherwise it is there already and nothing changes. */
  readonly verdict: 'new' | RepetitionVerdict;
  readonly entry: Entry;
  /** The account after it. */
  readonly account: Account;
}

/**
 * What one command does to an account. Every command that was not answered before makes exactly
 * one entry, a refusal too: a refused command stays refused, whatever is topped up later.
 */
export function evaluate(
  account: Account,
  command: Command,
  context: EvaluationContext,
): Evaluation {
  const earlier = context.recorded(commandKey(command));
  if (earlier) return { verdict: verdictOnRepetition(earlier, command), entry: earlier, account };
  const at = Math.max(context.now, account.lastAt + 1);
  const entry = entryOf(account, command, at, decide(account, command, at, context));
  return { verdict: 'new', entry, account: applyEntry(account, entry) };
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
      return decideResolution(account, command, context);
    case 'charge':
      return decideCharge(account, command, at, context);
    case 'reverse':
      return decideReverse(command, context);
    case 'grant':
    case 'adjust':
      return decideIssue(account, command);
  }
}

function entryOf(account: Account, command: Command, at: number, decision: Decision): Entry {
  return {
    seq: account.lastSeq + 1,
    at,
    kind: decision.kind,
    command: command.kind,
    commandId: command.commandId,
    precludes: decision.precludes ?? null,
    asset: decision.asset,
    change: decision.change,
    after: plus(account.balances[decision.asset], decision.change),
    productCode: decision.productCode ?? null,
    priceVersion: decision.priceVersion ?? null,
    projectId: decision.projectId ?? null,
    refreshId: decision.refreshId ?? null,
    requestId: decision.requestId ?? null,
    amount: decision.amount ?? null,
    reason: decision.reason ?? null,
    outcome: decision.outcome ?? null,
    observedAssets: decision.observedAssets ?? null,
    disposition: decision.disposition ?? null,
    refusal: decision.refusal ?? null,
  };
}
