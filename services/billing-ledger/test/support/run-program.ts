import type { AccountId } from '@inventory/contracts/ids';
import { applyEntry, type LedgerAccount, newAccount } from '../../src/accounts/account.domain.ts';
import { type Command, commandKey } from '../../src/accounts/command.domain.ts';
import type { EvaluationContext } from '../../src/accounts/decision.domain.ts';
import { type Entry, entryKeys } from '../../src/accounts/entry.domain.ts';
import { type Evaluation, evaluate } from '../../src/accounts/evaluate.domain.ts';
import { unitsAt } from '../../src/accounts/open-period.domain.ts';
import { type Program, prices, type Step } from './program.ts';

/** The rules under test: the product's, or the product's with one planted fault. */
export interface Rules {
  readonly evaluate: (
    account: LedgerAccount,
    command: Command,
    context: EvaluationContext,
  ) => Evaluation;
  readonly applyEntry: (account: LedgerAccount, entry: Entry) => LedgerAccount;
  readonly unitsAt: typeof unitsAt;
}
/** True when the rules keep the invariant over the program. */
export type Invariant = (rules: Rules, program: Program) => boolean;

export const productRules: Rules = { evaluate, applyEntry, unitsAt };

export interface Played extends Evaluation {
  readonly step: Step;
  /** The account that the command met. */
  readonly met: LedgerAccount;
  /** The account right before the entry: with the beginning of its month, where it has one. */
  readonly before: LedgerAccount;
}

/** A ledger in memory: what the writer does, without a store. */
export interface Ledger {
  play(step: Step): Played;
  account(accountId: AccountId): LedgerAccount;
  journal(accountId: AccountId): readonly Entry[];
}

export function createLedger(rules: Rules): Ledger {
  const states = new Map<string, LedgerAccount>();
  const journals = new Map<string, Entry[]>();
  const responded = new Map<string, Entry>();
  const account = (accountId: AccountId) => states.get(accountId) ?? newAccount(accountId);

  return {
    account,
    journal: (accountId) => journals.get(accountId) ?? [],
    play(step) {
      const { command, now } = step;
      const { accountId } = command.body;
      const met = account(accountId);
      const recorded = (key: string) => responded.get(`${accountId} ${key}`);
      const evaluation = rules.evaluate(met, command, { now, prices, recorded });
      if (evaluation.result === 'new') {
        const { entry } = evaluation;
        states.set(accountId, evaluation.account);
        journals.set(accountId, [...(journals.get(accountId) ?? []), ...entry.opening, entry]);
        for (const key of [...entryKeys(entry), commandKey(command)]) {
          responded.set(`${accountId} ${key}`, entry);
        }
      }
      const { result, entry } = evaluation;
      const before = result === 'new' ? entry.opening.reduce(applyEntry, met) : met;
      return { ...evaluation, step, met, before };
    },
  };
}

/** The result of a program. */
export interface ProgramRun {
  readonly ledger: Omit<Ledger, 'play'>;
  readonly played: readonly Played[];
}

/**
 * Plays a program up to its end, or up to where the rules contradict themselves: what was played
 * until then is what an invariant is judged by. That the product gets to the end is a guarantee of
 * its own.
 */
export function playProgram(
  rules: Rules,
  program: Program,
): ProgramRun & { readonly ledger: Ledger } {
  const ledger = createLedger(rules);
  const played: Played[] = [];
  try {
    for (const step of program) played.push(ledger.play(step));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { ledger, played };
}

let last:
  | { readonly rules: Rules; readonly program: Program; readonly run: ProgramRun }
  | undefined;

/** One run shared by all invariants that check the same program in turn. */
export function runProgram(rules: Rules, program: Program): ProgramRun {
  if (last?.rules !== rules || last.program !== program) {
    last = { rules, program, run: playProgram(rules, program) };
  }
  return last.run;
}

/** What was journaled, without what came again or too late. */
export function newEntries(played: readonly Played[]): readonly Played[] {
  return played.filter(({ result }) => result === 'new');
}
