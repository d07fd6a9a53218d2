import { environmentOf } from '@inventory/contracts/environment';
import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import { refreshLink } from '@inventory/contracts/http/refresh';
import { watchLink } from '@inventory/contracts/http/watches';
import { idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import { writeEvent } from '@inventory/contracts/internal/event-log';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingBalanceLow } from '@inventory/contracts/messages/billing';
import type { RefreshCompleted } from '@inventory/contracts/messages/refresh';
import { isoTime } from '@inventory/runtime/clock';
import { uuidV5 } from '@inventory/runtime/identifiers';

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
