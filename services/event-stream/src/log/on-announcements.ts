import { changesPath } from '@inventory/contracts/http/changes';
import { currentPath } from '@inventory/contracts/http/current';
import { refreshPath } from '@inventory/contracts/http/refresh';
import { watchPath } from '@inventory/contracts/http/watches';
import { type AccountId, idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import { type EventText, writeEvent } from '@inventory/contracts/internal/event-log';
import type { MessageBody } from '@inventory/contracts/messages';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Handlers } from '@inventory/messaging/dispatch';
import { isoTime } from '@inventory/runtime/clock';
import { uuidV5 } from '@inventory/runtime/identifiers';
import type { CountAppended } from './log-metrics.ts';
import type { EventOwner, LogEntry, ProjectLog } from './project-log-store.ts';

export interface AnnouncementDeps {
  readonly log: Pick<ProjectLog, 'appendEvent'>;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** What waits for the entry is made due. */
  readonly makeDue: (entry: LogEntry) => Promise<void>;
  /** The Projects of an account with events; none while they are off. */
  readonly listEventProjects: (accountId: AccountId) => AsyncIterable<ProjectId>;
  readonly onAppended: CountAppended;
}

/**
 * Appends the event of a terminal refresh, or of a paused watch, to its Project's log; duplicates have
 * no effect.
 */
export function onRefreshCompleted(deps: AnnouncementDeps): Handlers {
  return {
    'refresh.completed.v1': async ({ body }) => {
      const event = refreshEvent(body);
      const owner = { accountId: body.account_id, projectId: body.project_id };
      await appendEvent(deps, owner, event);
      deps.onAppended(event, body.outcome);
    },
    'watch.paused.v1': async ({ body }) => {
      const event = watchPausedEvent(body);
      const owner = { accountId: body.account_id, projectId: body.project_id };
      await appendEvent(deps, owner, event);
      deps.onAppended(event);
    },
  };
}

/**
 * Appends an event to every Project of the account while its events are enabled. After a crash the
 * message is redelivered; an event that exists is not appended again.
 */
export function onBalanceLow(deps: AnnouncementDeps): Handlers {
  return {
    'billing.balance-low.v1': async ({ body }) => {
      const accountId = body.account_id;
      for await (const projectId of deps.listEventProjects(accountId)) {
        const event = balanceLowEvent(body, projectId);
        await appendEvent(deps, { accountId, projectId }, event);
        deps.onAppended(event);
      }
    },
  };
}

/**
 * Appends an event to the Project's log, then publishes its entry and makes due what waits for it.
 * After a crash before the end the announcement is redelivered, finds the entry and does both again.
 */
async function appendEvent(
  { log, publish, makeDue }: AnnouncementDeps,
  owner: EventOwner,
  event: EventText,
): Promise<void> {
  const entry = await log.appendEvent(owner, event);
  await Promise.all([publish([appendedMessage(entry)]), makeDue(entry)]);
}

function appendedMessage(entry: LogEntry): OutgoingMessage {
  const { projectId, logEpoch, position, event, appendedAtMs } = entry;
  return {
    type: 'project.event-appended.v1',
    id: event.id,
    body: {
      project_id: projectId,
      position,
      log_epoch: logEpoch,
      event,
      ...(appendedAtMs === null ? {} : { appended_at: isoTime(appendedAtMs) }),
    },
  };
}

/** The id is the UUIDv5 of the refresh and the type, so that a refresh has one event. */
export function refreshEvent(completed: MessageBody<'refresh.completed.v1'>) {
  const { refresh_id, outcome, scope, revision_id, watch_id = null } = completed;
  const { previous_revision_id: previous } = completed;
  const type = 'inventory.refresh.completed';
  return writeEvent({
    id: `evt_${uuidV5(refresh_id, type)}`,
    version: 1,
    occurred_at: completed.completed_at,
    project_id: completed.project_id,
    type,
    data: { refresh_id, state: 'completed', outcome, scope, revision_id, watch_id },
    links: {
      refresh: refreshPath(refresh_id),
      ...(revision_id === null ? {} : { current: currentPath(scope) }),
      ...(previous === undefined ? {} : { changes: changesPath(scope, previous) }),
    },
  });
}

/** A pause has one event: its id is the UUIDv5 of the watch, the type and the time of the pause. */
export function watchPausedEvent(paused: MessageBody<'watch.paused.v1'>) {
  const { watch_id, scope, reason, paused_at, project_id } = paused;
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
export function balanceLowEvent(low: MessageBody<'billing.balance-low.v1'>, project_id: ProjectId) {
  const { account_id, threshold, available, entry_seq } = low;
  const type = 'account.balance.low';
  const name = `${type}/${threshold}/${entry_seq}/${project_id}`;
  return writeEvent({
    id: `evt_${uuidV5(account_id.slice(idPrefixes.account.length), name)}`,
    version: 1,
    occurred_at: low.at,
    project_id,
    type,
    data: { available, threshold },
    links: { account: '/v2/account' },
  });
}
