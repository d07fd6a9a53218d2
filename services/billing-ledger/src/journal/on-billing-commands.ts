import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { BillingRefusal, FundsRefusal } from '@inventory/contracts/refusal';
import type { MessageBus, OutgoingMessage, WorkConsumer } from '@inventory/messaging/bus';
import { messageAttributes } from '@inventory/messaging/dispatch';
import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { failSpan, inSpan, startSpan, traceOf } from '@inventory/runtime/tracing';
import { type Span, SpanKind } from '@opentelemetry/api';
import type { Command } from '../accounts/command.domain.ts';
import type { Entry } from '../accounts/entry.domain.ts';
import type { Answer } from '../accounts/evaluate.domain.ts';
import { type EntryKind, returnedAmount } from '../accounts/movement.domain.ts';
import { batchSize, conflicts } from '../metrics.ts';
import type { Answered } from './account-batch.ts';
import type { CommitCommands } from './commit-commands.ts';
import { type CommandMessage, fromCommandMessage, isCommandMessage } from './convert-command.ts';

export interface OnBillingCommandsDeps {
  readonly commitCommands: CommitCommands;
  readonly bus: Pick<MessageBus, 'publish'>;
  readonly logger: Logger;
}

/** A command on its way: its span continues the sender's trace and ends with its answer. */
interface Carried {
  readonly command: Command;
  readonly message: CommandMessage;
  readonly span: Span;
}

/**
 * 1. the commands are journaled; 2. their outcomes are published; 3. the batch is done and its
 * position may be committed. After a crash in between the same commands are delivered again:
 * those in the journal are only re-emitted. Of a quarantined account, the sender that waits has a
 * reply without an outcome and decides what follows; other commands, and reserves, for whose reply
 * another service waits, are rejected. Those of accounts whose snapshot is being rebuilt are postponed.
 */
export function createOnBillingCommands(deps: OnBillingCommandsDeps): WorkConsumer['onBatch'] {
  return async (messages, reject, postpone) => {
    const carried = messages.filter(isCommandMessage).map(carry);
    const [first, ...others] = carried;
    if (!first) return;
    batchSize.record(carried.length);
    const open = new Set(carried.map(({ span }) => span));
    const links = others.map(({ span }) => ({ context: span.spanContext() }));
    const batch = { name: 'answer billing commands', parent: traceOf(first.span), links };
    try {
      const { quarantined, behind } = await inSpan(batch, () =>
        deps.commitCommands(carried, async (answered) => {
          await publishAnswers(deps, answered);
          for (const { item } of answered) end(open, item.span);
        }),
      );
      await deps.bus.publish(quarantined.flatMap(toUndecided));
      for (const { command, message } of quarantined) {
        if (message.waitingId !== undefined && command.kind !== 'reserve') continue;
        reject({ message, reason: 'account_quarantined', detail: command.accountId });
      }
      for (const { message } of behind) postpone(message);
    } catch (error) {
      for (const span of open) failSpan(span, error);
      throw error;
    } finally {
      for (const span of open) end(open, span);
    }
  };
}

function carry(message: CommandMessage): Carried {
  const span = startSpan({
    name: `process ${message.topic}`,
    kind: SpanKind.CONSUMER,
    parent: message.trace,
    attributes: messageAttributes(message),
  });
  return { command: fromCommandMessage(message), message, span };
}

function end(open: Set<Span>, span: Span): void {
  open.delete(span);
  span.end();
}

/** Their ids are keys of operators and customers, whose request is refused with the conflict. */
const namedByCallers: readonly Command['kind'][] = ['grant', 'adjust', 'configure'];

async function publishAnswers(
  { bus, logger }: OnBillingCommandsDeps,
  answered: readonly Answered<Carried>[],
): Promise<void> {
  for (const { item, answer } of answered) {
    const { commandId: command_id, accountId: account_id, kind } = item.command;
    if (answer.result !== 'conflict' || namedByCallers.includes(kind)) continue;
    conflicts.add(1);
    logger.warn({ command_id, account_id }, 'command id conflict');
  }
  await bus.publish(answered.flatMap(toMessages));
}

function toUndecided({ message: { id, waitingId }, span }: Carried): OutgoingMessage[] {
  if (waitingId === undefined) return [];
  const body = { waiting_id: waitingId, outcome: null };
  const trace = traceOf(span);
  return [{ type: 'reply.billing-outcome.v1', id: `${id}/${waitingId}/undecided`, body, trace }];
}

/**
 * The messages of an entry: the same bodies and ids at each delivery. The reply is first, because a
 * client waits for it; an outcome that no refresh depends on is in the reply alone.
 */
function toMessages({ item, answer }: Answered<Carried>): OutgoingMessage[] {
  const { accountId } = item.command;
  const { waitingId } = item.message;
  const trace = traceOf(item.span);
  const outcome = toAnswerOutcome(item.command, answer);
  const id = outcomeId(outcome);
  const isRepliedOnly = waitingId !== undefined && outcome.refresh_id === null;
  const opened = answer.entry.opening.map((entry) => toOutcome(accountId, entry));
  const outcomes = isRepliedOnly ? opened : [...opened, outcome];
  const messages = outcomes.map(
    (body): OutgoingMessage => ({ type: 'billing.outcome.v1', id: outcomeId(body), body, trace }),
  );
  const low = toBalanceLow(accountId, answer.entry);
  if (low) {
    const lowId = `${accountId}/${low.entry_seq}/balance-low`;
    messages.push({ type: 'billing.balance-low.v1', id: lowId, body: low, trace });
  }
  if (waitingId === undefined) return messages;
  const body = {
    waiting_id: waitingId,
    outcome: toReplyOutcome(item.command, answer),
    ...(item.message.type === 'billing.reserve.v1' ? pendingTimes(item.message.body) : {}),
  };
  return [{ type: 'reply.billing-outcome.v1', id: `${id}/${waitingId}`, body, trace }, ...messages];
}

/** What the acceptance says of the time ahead, passed on to the request that waits for it. */
function pendingTimes({ deadline_at, retry_after_seconds }: MessageBody<'billing.reserve.v1'>) {
  return { deadline_at, retry_after_seconds };
}

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
    at: isoTime(entry.atMs),
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
  return { account_id: accountId, threshold, available, entry_seq: seq, at: isoTime(entry.atMs) };
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
