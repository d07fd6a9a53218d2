import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import { refreshPath } from '@inventory/contracts/http/refresh';
import { watchPath } from '@inventory/contracts/http/watches';
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
export function refreshEvent(
  completed: Omit<RefreshCompleted, 'accountId'>,
  mark: { readonly test?: true } = {},
) {
  const { refreshId: refresh_id, outcome, scope, previousRevisionId: previous } = completed;
  const { revisionId: revision_id, watchId: watch_id } = completed;
  const type = 'inventory.refresh.completed';
  return writeEvent({
    id: `evt_${uuidV5(refresh_id, type)}`,
    version: 1,
    occurred_at: isoTime(completed.completedAtMs),
    project_id: completed.projectId,
    type,
    data: { refresh_id, state: 'completed', outcome, scope, revision_id, watch_id, ...mark },
    links: {
      refresh: refreshPath(refresh_id),
      ...(revision_id === null ? {} : { current: currentPath(scope) }),
      ...(previous === null ? {} : { changes: changesPath(scope, previous) }),
    },
  });
}

/** A pause has one event: its id is the UUIDv5 of the watch, the type and the time of the pause. */
export function watchPausedEvent(paused: MessageBody<'watch.paused.v1'>) {
  const { watchId: watch_id, scope, reason, projectId: project_id } = paused;
  const paused_at = isoTime(paused.pausedAtMs);
  const type = 'inventory.watch.paused';
  return writeEvent({
    id: `evt_${uuidV5(watch_id.slice(idPrefixes.watch.length), `${type}/${paused_at}`)}`,
    version: 1,
    occurred_at: paused_at,
    project_id,
    type,
    data: { watch_id, scope, reason },
    links: { watch: watchPath(project_id, scope) },
  });
}

/**
 * A crossing has one event in each Project of the account: an event belongs to one log, so the
 * Project is part of the name that its id is the UUIDv5 of.
 */
export function balanceLowEvent(low: BillingBalanceLow, project_id: ProjectId) {
  const { accountId, threshold, available, entrySeq } = low;
  const type = 'account.balance.low';
  const name = `${type}/${threshold}/${entrySeq}/${project_id}`;
  return writeEvent({
    id: `evt_${uuidV5(accountId.slice(idPrefixes.account.length), name)}`,
    version: 1,
    occurred_at: isoTime(low.atMs),
    project_id,
    type,
    data: { available, threshold },
    links: { account: '/v2/account' },
  });
}
