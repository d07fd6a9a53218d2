import type { MessageBody } from '@inventory/contracts/messages';
import type { MessageBus, OutgoingMessage, WorkConsumer } from '@inventory/messaging/bus';
import { messageAttributes } from '@inventory/messaging/dispatch';
import type { Logger } from '@inventory/runtime/logger';
import { failSpan, inSpan, startSpan, traceOf } from '@inventory/runtime/tracing';
import { type Span, SpanKind } from '@opentelemetry/api';
import type { Command } from '../accounts/command.domain.ts';
import type { Answered } from './account-batch.ts';
import type { CommitCommands } from './commit-commands.ts';
import { type CommandMessage, fromCommandMessage, isCommandMessage } from './convert-command.ts';
import {
  outcomeId,
  toAnswerOutcome,
  toBalanceLow,
  toOutcome,
  toReplyOutcome,
} from './convert-outcome.ts';
import { batchSize, conflicts } from './journal-metrics.ts';

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
