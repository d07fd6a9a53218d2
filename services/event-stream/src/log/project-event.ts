import { environmentOf } from '@inventory/contracts/environment';
import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import type { ProjectEventType } from '@inventory/contracts/http/project-event';
import { refreshLink } from '@inventory/contracts/http/refresh';
import { watchLink } from '@inventory/contracts/http/watches';
import { idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import { type EventText, writeEvent } from '@inventory/contracts/internal/event-log';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingBalanceLow } from '@inventory/contracts/messages/billing';
import type { RefreshCompleted } from '@inventory/contracts/messages/refresh';
import { randomBetween } from '@inventory/runtime/backoff';
import { unreachable } from '@inventory/runtime/bug';
import { isoTime } from '@inventory/runtime/clock';
import { type Identifiers, uuidV5 } from '@inventory/runtime/identifiers';
import type { EventOwner } from './append-event.ts';

/**
 * The id is the UUIDv5 of the refresh and the type, so that a refresh has one event. A sample has the
 * members of any other, and its mark.
 */
export function writeRefreshEvent(
  completed: RefreshCompleted,
  mark: { readonly test?: true } = {},
) {
  const { refreshId, projectId, outcome, scope, revisionId, watchId, completedAtMs } = completed;
  const { previousRevisionId: previous } = completed;
  const type = 'inventory.refresh.completed';
  return writeEvent({
    id: `evt_${uuidV5(refreshId, type)}`,
    version: 1,
    occurredAtMs: completedAtMs,
    projectId,
    environment: environmentOf(completed.accountId),
    type,
    data: { refreshId, state: 'completed', outcome, scope, revisionId, watchId, ...mark },
    links: {
      refresh: refreshLink(refreshId),
      ...(revisionId === null ? {} : { current: currentPath(scope) }),
      ...(previous === null ? {} : { changes: changesPath(scope, previous) }),
    },
  });
}

/** A pause has one event: its id is the UUIDv5 of the watch, the type and the time of the pause. */
export function writeWatchPausedEvent(paused: MessageBody<'watch.paused.v1'>) {
  const { watchId, accountId, projectId, scope, reason, pausedAtMs } = paused;
  const type = 'inventory.watch.paused';
  const name = `${type}/${isoTime(pausedAtMs)}`;
  return writeEvent({
    id: `evt_${uuidV5(watchId.slice(idPrefixes.watch.length), name)}`,
    version: 1,
    occurredAtMs: pausedAtMs,
    projectId,
    environment: environmentOf(accountId),
    type,
    data: { watchId, scope, reason },
    links: { watch: watchLink(projectId, scope) },
  });
}

/**
 * A crossing has one event in each Project of the account: an event belongs to one log, so the
 * Project is part of the name that its id is the UUIDv5 of.
 */
export function writeBalanceLowEvent(low: BillingBalanceLow, projectId: ProjectId) {
  const { accountId, threshold, available, entrySeq } = low;
  const type = 'account.balance.low';
  const name = `${type}/${threshold}/${entrySeq}/${projectId}`;
  return writeEvent({
    id: `evt_${uuidV5(accountId.slice(idPrefixes.account.length), name)}`,
    version: 1,
    occurredAtMs: low.atMs,
    projectId,
    environment: environmentOf(accountId),
    type,
    data: { available, threshold },
    links: { account: '/v2/account' },
  });
}

const sampleScopes = {
  live: { platform_id: '76561190000000001', app_id: 730, context_id: 2 },
  sandbox: { platform_id: '77200000300000001', app_id: 730, context_id: 2 },
} as const;

/** An event of this type, whose ids are made up. */
export function writeSampleEvent(
  type: ProjectEventType,
  owner: EventOwner,
  identifiers: Identifiers,
  nowMs: number,
): EventText {
  const scope = sampleScopes[environmentOf(owner.accountId)];
  const watchId = `wat_${identifiers.uuidV7()}` as const;
  switch (type) {
    case 'inventory.refresh.completed': {
      const revisionId = `invrev_${identifiers.uuidV7()}` as const;
      const previousRevisionId = `invrev_${identifiers.uuidV7()}` as const;
      const found = { outcome: 'complete_changed', scope, revisionId, previousRevisionId } as const;
      const refreshId = identifiers.uuidV7();
      const completed = { ...owner, ...found, refreshId, watchId, completedAtMs: nowMs };
      return writeRefreshEvent(completed, { test: true });
    }
    case 'inventory.watch.paused': {
      const reason = 'daily_limit_reached';
      return writeWatchPausedEvent({ ...owner, watchId, scope, reason, pausedAtMs: nowMs });
    }
    case 'account.balance.low': {
      const entrySeq = randomBetween(1, Number.MAX_SAFE_INTEGER);
      const { accountId, projectId } = owner;
      const low = { accountId, threshold: 1_000, available: 999, entrySeq, atMs: nowMs };
      return writeBalanceLowEvent(low, projectId);
    }
    default:
      return unreachable(type);
  }
}
