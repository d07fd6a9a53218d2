import { applyEntry } from '../../src/accounts/account.domain.ts';
import { type Balances, plus } from '../../src/accounts/balances.domain.ts';
import type { Entry } from '../../src/accounts/entry.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import type { InvariantName } from './invariants.ts';
import { productRules, type Rules } from './run-program.ts';

export interface PlantedFault {
  readonly breaks: InvariantName;
  /** Ends the sentence "a ledger where …". */
  readonly fault: string;
  readonly rules: Rules;
}

type Evaluate = Rules['evaluate'];
export type Call = Parameters<Evaluate>;

/** The product's ledger, wrapped. */
export function faulty(
  breaks: InvariantName,
  fault: string,
  wrap: (call: Call) => Evaluation,
): PlantedFault {
  return { breaks, fault, rules: { ...productRules, evaluate: (...call) => wrap(call) } };
}

/** Changes what the product evaluated for new entries of some kinds. */
export function afterwards(
  breaks: InvariantName,
  fault: string,
  kinds: readonly Entry['kind'][],
  change: (evaluation: Evaluation, call: Call) => Evaluation,
): PlantedFault {
  return faulty(breaks, fault, (call) => {
    const evaluation = evaluate(...call);
    const isMeant = evaluation.result === 'new' && kinds.includes(evaluation.entry.kind);
    return isMeant ? change(evaluation, call) : evaluation;
  });
}

/** The same evaluation with another movement, taken over by the account without a check. */
export function moving(evaluation: Evaluation, [met]: Call, change: Balances): Evaluation {
  const { asset, opening } = evaluation.entry;
  const before = opening.reduce(applyEntry, met);
  const after = plus(before.balances[asset], change);
  const balances = { ...evaluation.account.balances, [asset]: after };
  return {
    ...evaluation,
    entry: { ...evaluation.entry, change, after },
    account: { ...evaluation.account, balances },
  };
}
