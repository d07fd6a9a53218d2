import type { Account } from './account.domain.ts';
import type { Command } from './command.domain.ts';
import type { EvaluationContext } from './decision.domain.ts';
import type { DuplicateResult } from './duplicate-command.domain.ts';
import { type Entry, entryKeys } from './entry.domain.ts';
import { evaluate } from './evaluate.domain.ts';

/** How a command is answered: by an entry, read as `result` states. */
export interface Answer {
  readonly result: DuplicateResult;
  readonly entry: Entry;
}

/** What one commit of one account will hold, and the answers it makes possible. */
export interface CommitPlan {
  /** One per command taken, in order. */
  readonly answers: readonly Answer[];
  readonly entries: readonly Entry[];
  /** The account after all entries. */
  readonly account: Account;
}

export interface CommitLimits {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/**
 * Evaluates commands of one account in order until they are through or the commit is full. A
 * command that repeats an earlier one of the same commit is answered by that one's entry.
 */
export function planCommit(
  account: Account,
  commands: readonly Command[],
  context: EvaluationContext,
  limits: CommitLimits,
): CommitPlan {
  const planned = new Map<string, Entry>();
  const inPlan: EvaluationContext = {
    ...context,
    recorded: (key) => planned.get(key) ?? context.recorded(key),
  };
  const answers: Answer[] = [];
  const entries: Entry[] = [];
  let next = account;
  let bytes = 0;
  for (const command of commands) {
    if (entries.length >= limits.entriesMax || bytes >= limits.bytesMax) break;
    const { result, entry, account: after } = evaluate(next, command, inPlan);
    answers.push({ result: result === 'new' ? 'recorded' : result, entry });
    if (result !== 'new') continue;
    next = after;
    // A month begins in the commit of the entry that it begins for, so both are stored or neither.
    for (const made of [...entry.opening, entry]) {
      entries.push(made);
      bytes += approximateBytes(made);
      for (const key of entryKeys(made)) planned.set(key, made);
    }
  }
  return { answers, entries, account: next };
}

/** Stored size of an entry, rounded up; only ids of ours and an operator's reason vary. */
function approximateBytes(entry: Entry): number {
  return 700 + entry.commandId.length + 3 * (entry.reason?.length ?? 0);
}
