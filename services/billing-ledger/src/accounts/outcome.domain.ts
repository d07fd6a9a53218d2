import type { AccountId } from '@inventory/contracts/ids';
import type { BillingBalanceLow, BillingOutcome } from '@inventory/contracts/messages/billing';
import type { BillingRefusal, FundsRefusal } from '@inventory/contracts/refusal';
import { type Command, commandKinds } from './command.domain.ts';
import type { Entry } from './entry.domain.ts';
import type { RecordedCommand } from './evaluate.domain.ts';
import { type EntryKind, returnedAmount } from './movement.domain.ts';

/** The outcome of the command an entry was made for: the same at each delivery. */
export function outcomeOf(accountId: AccountId, entry: Entry): BillingOutcome {
  const { kind, change, after } = entry;
  return {
    commandId: entry.commandId,
    kind: entry.command,
    result: kind === 'refuse' ? 'refused' : 'applied',
    refusal: entry.refusal,
    accountId,
    projectId: entry.projectId,
    refreshId: entry.refreshId,
    requestId: entry.requestId,
    seq: entry.seq,
    atMs: entry.atMs,
    asset: entry.asset,
    productCode: entry.productCode,
    priceVersion: entry.priceVersion,
    amountReserved: kind === 'reserve' ? change.held : 0,
    amountCharged: Math.max(0, change.consumed),
    amountReleased: returnsAmount(kind) ? returnedAmount(change) : 0,
    disposition: entry.disposition,
    balance: {
      total: after.available + after.held,
      held: after.held,
      available: after.available,
    },
    creditsAvailable: entry.creditsAvailable,
  };
}

/** The low-balance event of an entry that crosses its account's alert; it never changes. */
export function balanceLowOf(
  accountId: AccountId,
  { lowBalance, seq: entrySeq, atMs }: Entry,
): BillingBalanceLow | null {
  return lowBalance && { accountId, ...lowBalance, entrySeq, atMs };
}

/**
 * The outcome published for a command. A command that an entry precludes is refused by that entry;
 * one that repeats an id with other content gets the recorded outcome of that id.
 */
export function publishedOutcomeOf(
  command: Command,
  { result, entry }: RecordedCommand,
): BillingOutcome {
  const outcome = outcomeOf(command.body.accountId, entry);
  if (result !== 'precluded') return outcome;
  const code = command.type === 'billing.reserve.v1' ? 'hold_unknown' : 'already_reversed';
  return refusedBy(outcome, command, code);
}

/**
 * The outcome in the reply. A command whose content was not applied gets `idempotency_conflict`:
 * it moves nothing, is in no entry, and is derived from the recorded entry, so it never changes.
 */
export function replyOutcomeOf(command: Command, recorded: RecordedCommand): BillingOutcome {
  if (recorded.result !== 'conflict') return publishedOutcomeOf(command, recorded);
  const outcome = outcomeOf(command.body.accountId, recorded.entry);
  return refusedBy(outcome, command, 'idempotency_conflict');
}

/** Every outcome has an id of its own, however often it is sent. */
export function outcomeId({ accountId, seq, commandId }: BillingOutcome): string {
  return `${accountId}/${seq}/${commandId}`;
}

function refusedBy(
  outcome: BillingOutcome,
  { type, body }: Command,
  code: Exclude<BillingRefusal['code'], FundsRefusal['code']>,
): BillingOutcome {
  return {
    ...outcome,
    commandId: body.commandId,
    kind: commandKinds[type],
    result: 'refused',
    refusal: { code },
    productCode: null,
    priceVersion: null,
    amountReserved: 0,
    amountCharged: 0,
    amountReleased: 0,
    disposition: null,
  };
}

function returnsAmount(kind: EntryKind): boolean {
  return kind === 'settle' || kind === 'release' || kind === 'reverse';
}
