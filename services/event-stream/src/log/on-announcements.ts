import type { EventText } from '@inventory/contracts/internal/event-log';
import type { AppendedEvent } from '@inventory/contracts/messages/project-events';
import { consumerGroup } from '@inventory/contracts/topics';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey, type Handlers } from '@inventory/messaging/dispatch';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { EventOwner } from './append-event.ts';
import { countAppended } from './log-metrics.ts';
import type { Logs } from './open-log.ts';
import { writeBalanceLowEvent, writeRefreshEvent, writeWatchPausedEvent } from './project-event.ts';

/** Makes due what waits for the entry. */
export type OnAppended = (entry: AppendedEvent) => Promise<void>;

const concurrencyMax = 16;
/** A low balance is not urgent, so records are processed in batches. */
const balancesWindowMs = 500;

/** Starts to append the events of completed refreshes and of low balances. */
export async function startAppending(
  logs: Logs,
  bus: MessageBus,
  lifetime: Lifetime,
  onAppended: OnAppended,
): Promise<void> {
  const completions = await bus.consume({
    group: consumerGroup('event-stream', 'refresh.outcomes.v1'),
    topics: ['refresh.outcomes.v1'],
    onBatch: byKey(onRefreshCompleted(logs, onAppended), concurrencyMax),
  });
  lifetime.defer('completed refreshes', () => completions.stop());
  // Most records of this topic have other consumers; batches keep the cost of skipping them low.
  const balances = await bus.consume({
    group: consumerGroup('event-stream', 'billing.outcomes.v1'),
    topics: ['billing.outcomes.v1'],
    batchWindowMs: balancesWindowMs,
    onBatch: byKey(onBalanceLow(logs, onAppended), concurrencyMax),
  });
  lifetime.defer('low balances', () => balances.stop());
}

/**
 * Appends the event of a terminal refresh, or of a paused watch, to its Project's log; duplicates have
 * no effect.
 */
function onRefreshCompleted(logs: Logs, onAppended: OnAppended): Handlers {
  return {
    'refresh.completed.v1': async ({ body }) => {
      const event = writeRefreshEvent(body);
      await announceEvent(logs, body, event, onAppended);
      countAppended(event, logs.clock.now(), body.outcome);
    },
    'watch.paused.v1': async ({ body }) => {
      const event = writeWatchPausedEvent(body);
      await announceEvent(logs, body, event, onAppended);
      countAppended(event, logs.clock.now());
    },
  };
}

/**
 * Appends an event to every Project of the account while its events are enabled. After a crash the
 * message is redelivered; an event that exists is not appended again.
 */
function onBalanceLow(logs: Logs, onAppended: OnAppended): Handlers {
  return {
    'billing.balance-low.v1': async ({ body }) => {
      const { accountId } = body;
      for await (const projectId of logs.listEventProjects(accountId)) {
        const event = writeBalanceLowEvent(body, projectId);
        await announceEvent(logs, { accountId, projectId }, event, onAppended);
        countAppended(event, logs.clock.now());
      }
    },
  };
}

/**
 * Appends an event to the Project's log, then publishes its entry and makes due what waits for it.
 * After a crash before the end the announcement is redelivered, finds the entry and does both again.
 */
export async function announceEvent(
  logs: Logs,
  owner: EventOwner,
  event: EventText,
  onAppended: OnAppended,
): Promise<void> {
  const body = await logs.appendEvent(owner, event);
  const message = { type: 'project.event-appended.v1', id: event.id, body } as const;
  await Promise.all([logs.publish([message]), onAppended(body)]);
}
