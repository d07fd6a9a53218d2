import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { BillingRefusal, FundsRefusal } from '@inventory/contracts/refusal';
import { isoTime } from '@inventory/runtime/clock';
import type { Command } from '../accounts/command.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import { type EntryKind, returnedAmount } from '../accounts/movement.domain.ts';
import type { Answer } from '../accounts/plan-commit.domain.ts';

type BalanceLow = MessageBody<'billing.balance-low.v1'>;

/** The outcome of the command an entry was made for: the same at each delivery. */
export function toOutcome(accountId: AccountId, entry: Entry): BillingOutcome {
  const { kind, change, after } = entry;
  return {
    command_id: entry.commandId,
    kind: entry.command,
    result: kind === 'refuse' ? 'refused' : 'applied',
    refusal: entry.refusal,
    account_id: accountId,
    project_id: entry.projectId,
    refresh_id: entry.refreshId,
    request_id: entry.requestId,
    seq: entry.seq,
    at: isoTime(entry.at),
    asset: entry.asset,
    product_code: entry.productCode,
    price_version: entry.priceVersion,
    amount_reserved: kind === 'reserve' ? change.held : 0,
    amount_charged: Math.max(0, change.consumed),
    amount_released: returnsAmount(kind) ? returnedAmount(change) : 0,
    disposition: entry.disposition,
    balance: {
      total: after.available + after.held,
      held: after.held,
      available: after.available,
    },
    ...(entry.creditsAvailable === null ? {} : { credits_available: entry.creditsAvailable }),
  };
}

/** The low-balance event of an entry that crosses its account's alert; it never changes. */
export function toBalanceLow(accountId: AccountId, entry: Entry): BalanceLow | null {
  const { lowBalance, seq } = entry;
  if (lowBalance === null) return null;
  const { threshold, available } = lowBalance;
  return { account_id: accountId, threshold, available, entry_seq: seq, at: isoTime(entry.at) };
}

/**
 * The outcome published for a command. A command that an entry precludes is refused by that entry;
 * one that repeats an id with other content gets the recorded outcome of that id.
 */
export function toAnswerOutcome(command: Command, { result, entry }: Answer): BillingOutcome {
  const outcome = toOutcome(command.accountId, entry);
  if (result !== 'precluded') return outcome;
  const code = command.kind === 'reserve' ? 'hold_unknown' : 'already_reversed';
  return toRefused(outcome, command, code);
}

/**
 * The outcome in the reply. A command whose content was not applied gets `idempotency_conflict`:
 * it moves nothing, is in no entry, and is derived from the recorded entry, so it never changes.
 */
export function toReplyOutcome(command: Command, answer: Answer): BillingOutcome {
  if (answer.result !== 'conflict') return toAnswerOutcome(command, answer);
  return toRefused(toOutcome(command.accountId, answer.entry), command, 'idempotency_conflict');
}

/** Every outcome has an id of its own, however often it is sent. */
export function outcomeId(outcome: BillingOutcome): string {
  return `${outcome.account_id}/${outcome.seq}/${outcome.command_id}`;
}

function toRefused(
  outcome: BillingOutcome,
  command: Command,
  code: Exclude<BillingRefusal['code'], FundsRefusal['code']>,
): BillingOutcome {
  return {
    ...outcome,
    command_id: command.commandId,
    kind: command.kind,
    result: 'refused',
    refusal: { code },
    product_code: null,
    price_version: null,
    amount_reserved: 0,
    amount_charged: 0,
    amount_released: 0,
    disposition: null,
  };
}

function returnsAmount(kind: EntryKind): boolean {
  return kind === 'settle' || kind === 'release' || kind === 'reverse';
}
