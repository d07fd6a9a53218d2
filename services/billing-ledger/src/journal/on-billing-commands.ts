import type {
  MessageBus,
  OutgoingMessage,
  ReceivedMessage,
  WorkConsumer,
} from '@inventory/messaging/bus';
import { messageAttributes } from '@inventory/messaging/dispatch';
import type { Logger } from '@inventory/runtime/logger';
import { failSpan, inSpan, startSpan, traceOf } from '@inventory/runtime/tracing';
import { type Span, SpanKind } from '@opentelemetry/api';
import { type BillingCommandKind, type Command, commandKinds } from '../accounts/command.domain.ts';
import {
  balanceLowOf,
  outcomeId,
  outcomeOf,
  publishedOutcomeOf,
  replyOutcomeOf,
} from '../accounts/outcome.domain.ts';
import { batchSize, conflicts } from '../metrics.ts';
import type { Journaled } from './account-batch.ts';
import type { CommitCommands } from './commit-commands.ts';

/** A command on its way: its span continues the sender's trace and ends with its outcome. */
interface Carried {
  readonly command: CommandMessage;
  readonly span: Span;
}
type CommandMessage = Extract<ReceivedMessage, { type: Command['type'] }>;

/**
 * 1. the commands are journaled; 2. their outcomes are published; 3. the batch is done and its
 * position may be committed. After a crash in between the same commands are delivered again:
 * those in the journal are only re-emitted. Of a quarantined account, the sender that waits has a
 * reply without an outcome and decides what follows; other commands, and reserves, for whose reply
 * another service waits, are rejected. Those of accounts whose snapshot is being rebuilt are postponed.
 */
export function createOnBillingCommands(
  commitCommands: CommitCommands,
  bus: MessageBus,
  logger: Logger,
): WorkConsumer['onBatch'] {
  return async (messages, reject, postpone) => {
    const carried = messages.filter(isCommandMessage).map(carry);
    const [first, ...others] = carried;
    if (!first) return;
    batchSize.record(carried.length);
    const open = new Set(carried.map(({ span }) => span));
    const links = others.map(({ span }) => ({ context: span.spanContext() }));
    const batch = { name: 'decide billing commands', parent: traceOf(first.span), links };
    try {
      const { quarantined, outdated } = await inSpan(batch, () =>
        commitCommands(carried, async (journaled) => {
          warnOfConflicts(journaled, logger);
          await bus.publish(journaled.flatMap(messagesOf));
          for (const { item } of journaled) end(open, item.span);
        }),
      );
      await bus.publish(quarantined.flatMap(undecidedReply));
      for (const { command } of quarantined) {
        if (command.waitingId !== undefined && command.type !== 'billing.reserve.v1') continue;
        const { accountId } = command.body;
        reject({ message: command, reason: 'account_quarantined', detail: accountId });
      }
      for (const { command } of outdated) postpone(command);
    } catch (error) {
      for (const span of open) failSpan(span, error);
      throw error;
    } finally {
      for (const span of open) end(open, span);
    }
  };
}

function isCommandMessage(message: ReceivedMessage): message is CommandMessage {
  return message.type in commandKinds;
}

function carry(command: CommandMessage): Carried {
  const span = startSpan({
    name: `process ${command.topic}`,
    kind: SpanKind.CONSUMER,
    parent: command.trace,
    attributes: messageAttributes(command),
  });
  return { command, span };
}

function end(open: Set<Span>, span: Span): void {
  open.delete(span);
  span.end();
}

/** Their ids are keys of operators and customers, whose request is refused with the conflict. */
const namedByCallers: readonly BillingCommandKind[] = ['grant', 'adjust', 'configure'];

function warnOfConflicts(journaled: readonly Journaled<Carried>[], logger: Logger): void {
  for (const { item, result } of journaled) {
    const { type, body } = item.command;
    if (result !== 'conflict' || namedByCallers.includes(commandKinds[type])) continue;
    conflicts.add(1);
    const ids = { command_id: body.commandId, account_id: body.accountId };
    logger.warn(ids, 'command id conflict');
  }
}

function undecidedReply({ command: { id, waitingId }, span }: Carried): OutgoingMessage[] {
  if (waitingId === undefined) return [];
  const body = { waitingId, outcome: null, deadlineAtMs: null, retryAfterSeconds: null };
  const trace = traceOf(span);
  return [{ type: 'reply.billing-outcome.v1', id: `${id}/${waitingId}/undecided`, body, trace }];
}

/**
 * The messages of an entry: the same bodies and ids at each delivery. The reply is first, because a
 * client waits for it; an outcome that no refresh depends on is in the reply alone.
 */
function messagesOf({ item, ...recorded }: Journaled<Carried>): OutgoingMessage[] {
  const { command, span } = item;
  const { waitingId } = command;
  const { accountId } = command.body;
  const trace = traceOf(span);
  const outcome = publishedOutcomeOf(command, recorded);
  const id = outcomeId(outcome);
  const isRepliedOnly = waitingId !== undefined && outcome.refreshId === null;
  const opened = recorded.entry.opening.map((entry) => outcomeOf(accountId, entry));
  const outcomes = isRepliedOnly ? opened : [...opened, outcome];
  const messages = outcomes.map(
    (body): OutgoingMessage => ({ type: 'billing.outcome.v1', id: outcomeId(body), body, trace }),
  );
  const low = balanceLowOf(accountId, recorded.entry);
  if (low) {
    const lowId = `${accountId}/${low.entrySeq}/balance-low`;
    messages.push({ type: 'billing.balance-low.v1', id: lowId, body: low, trace });
  }
  if (waitingId === undefined) return messages;
  const body = {
    waitingId,
    outcome: replyOutcomeOf(command, recorded),
    ...pendingTimes(command),
  };
  return [{ type: 'reply.billing-outcome.v1', id: `${id}/${waitingId}`, body, trace }, ...messages];
}

/** What the acceptance says of the time ahead, passed on to the request that waits for it. */
function pendingTimes({ type, body }: CommandMessage) {
  if (type !== 'billing.reserve.v1') return { deadlineAtMs: null, retryAfterSeconds: null };
  const { deadlineAtMs, retryAfterSeconds } = body;
  return { deadlineAtMs, retryAfterSeconds };
}
