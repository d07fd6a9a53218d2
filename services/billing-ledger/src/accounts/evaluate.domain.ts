import { applyEntry, type LedgerAccount, withBalances } from './account.domain.ts';
import { plus } from './balances.domain.ts';
import { type Command, type CommandOf, commandKey, commandKinds } from './command.domain.ts';
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
import { type Entry, entryKeys, noDetails } from './entry.domain.ts';
import { openPeriod } from './open-period.domain.ts';
import { crossedAlert, isSameConfiguration } from './terms.domain.ts';

/**
 * What a command finds that has an entry already:
 * - `recorded`: its own entry, or the resolution its hold already had;
 * - `precluded`: an entry after which it can never be applied;
 * - `conflict`: the entry of a command with the same id and other content.
 */
export type DuplicateResult = 'recorded' | 'precluded' | 'conflict';

export interface Evaluation {
  /**
   * `new`: the entry is to be journaled, after its `opening`. Otherwise it is there already and
   * nothing changes.
   */
  readonly result: 'new' | DuplicateResult;
  readonly entry: Entry;
  /** The account after it. */
  readonly account: LedgerAccount;
}

/**
 * What one command does to an account. Every command that has no entry yet makes exactly
 * one entry, a refusal too: a refused command stays refused, whatever is topped up later. The
 * first entry of a month may need others before it that begin the month.
 */
export function evaluate(
  account: LedgerAccount,
  command: Command,
  context: EvaluationContext,
): Evaluation {
  const earlier = context.recorded(commandKey(command));
  if (earlier) return { result: resolveDuplicate(earlier, command), entry: earlier, account };
  const { account: opened, opening } = openPeriod(account, context.now);
  const atMs = Math.max(context.now, opened.lastAtMs);
  const decision = decide(opened, command, atMs, context);
  const entry = entryOf(opened, command, { atMs, opening, decision });
  return { result: 'new', entry, account: applyEntry(opened, entry) };
}

export function resolveDuplicate(entry: Entry, command: Command): DuplicateResult {
  switch (command.type) {
    // The first resolution of a hold or charge is final, whatever a later one contains.
    case 'billing.settle.v1':
    case 'billing.release.v1':
    case 'billing.reverse.v1':
      return 'recorded';
    case 'billing.reserve.v1':
    case 'billing.charge.v1':
      if (entry.command !== commandKinds[command.type]) return 'precluded';
      return isSamePurchase(entry, command) ? 'recorded' : 'conflict';
    case 'billing.grant.v1':
    case 'billing.adjust.v1':
      return isSameIssue(entry, command) ? 'recorded' : 'conflict';
    case 'billing.configure.v1':
      return isSameChange(entry, command) ? 'recorded' : 'conflict';
  }
}

/**
 * The entry holds its command's content, so no fingerprint is kept beside it. A request_id that
 * is not part of the command id only names the HTTP request, and is no content.
 */
function isSamePurchase(entry: Entry, { type, body }: CommandOf<'reserve' | 'charge'>): boolean {
  const pageCount = type === 'billing.charge.v1' ? body.pageCount : null;
  return (
    entry.projectId === body.projectId &&
    entry.productCode === body.productCode &&
    (entry.pageCount ?? 1) === (pageCount ?? 1)
  );
}

function isSameIssue(entry: Entry, { body }: CommandOf<'grant' | 'adjust'>): boolean {
  return entry.asset === body.asset && entry.amount === body.amount && entry.reason === body.reason;
}

function isSameChange({ configured, reason }: Entry, { body }: CommandOf<'configure'>): boolean {
  const isSame = configured !== null && isSameConfiguration(configured, body.change);
  return isSame && reason === body.reason;
}

function decide(
  account: LedgerAccount,
  command: Command,
  atMs: number,
  context: EvaluationContext,
): Decision {
  switch (command.type) {
    case 'billing.reserve.v1':
      return decideReserve(account, command, atMs, context);
    case 'billing.settle.v1':
    case 'billing.release.v1':
      return decideResolution(account, command, atMs, context);
    case 'billing.charge.v1':
      return decideCharge(account, command, atMs, context);
    case 'billing.reverse.v1':
      return decideReverse(account, command, atMs, context);
    case 'billing.grant.v1':
    case 'billing.adjust.v1':
      return decideIssue(account, command);
    case 'billing.configure.v1':
      return decideConfigure(account, command);
  }
}

interface Made {
  readonly atMs: number;
  readonly opening: readonly Entry[];
  readonly decision: Decision;
}

function entryOf(
  account: LedgerAccount,
  command: Command,
  { atMs, opening, decision }: Made,
): Entry {
  const { asset } = decision;
  const after = plus(account.balances[asset], decision.change);
  const balances = withBalances(account.balances, asset, after);
  return {
    ...noDetails,
    ...decision,
    seq: account.lastSeq + 1,
    atMs,
    command: commandKinds[command.type],
    commandId: command.body.commandId,
    after,
    creditsAvailable: asset === 'units' ? balances.credits.available : null,
    lowBalance: crossedAlert(
      account.terms,
      { configured: decision.configured ?? null, atMs },
      balances,
    ),
    opening,
  };
}

/** How the journal has a command: as an entry, read as `result` states. */
export interface RecordedCommand {
  readonly result: DuplicateResult;
  readonly entry: Entry;
}

/** What one commit of one account will hold, and the commands that have an entry with it. */
export interface CommitPlan {
  /** One per command taken, in order. */
  readonly recorded: readonly RecordedCommand[];
  readonly entries: readonly Entry[];
  /** The account after all entries. */
  readonly account: LedgerAccount;
}

export interface CommitLimits {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/**
 * Evaluates commands of one account in order until they are through or the commit is full. A
 * command that repeats an earlier one of the same commit has that one's entry.
 */
export function planCommit(
  account: LedgerAccount,
  commands: readonly Command[],
  context: EvaluationContext,
  limits: CommitLimits,
): CommitPlan {
  const planned = new Map<string, Entry>();
  const inPlan: EvaluationContext = {
    ...context,
    recorded: (key) => planned.get(key) ?? context.recorded(key),
  };
  const recorded: RecordedCommand[] = [];
  const entries: Entry[] = [];
  let next = account;
  let bytes = 0;
  for (const command of commands) {
    if (entries.length >= limits.entriesMax || bytes >= limits.bytesMax) break;
    const { result, entry, account: after } = evaluate(next, command, inPlan);
    recorded.push({ result: result === 'new' ? 'recorded' : result, entry });
    if (result !== 'new') continue;
    next = after;
    // A month begins in the commit of the entry that it begins for, so both are stored or neither.
    for (const made of [...entry.opening, entry]) {
      entries.push(made);
      bytes += approximateBytes(made);
      for (const key of entryKeys(made)) planned.set(key, made);
    }
  }
  return { recorded, entries, account: next };
}

/** Stored size of an entry, rounded up; only ids of ours and an operator's reason vary. */
function approximateBytes(entry: Entry): number {
  return 800 + entry.commandId.length + 3 * (entry.reason?.length ?? 0);
}
