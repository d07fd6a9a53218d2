import type { ProjectId } from '@inventory/contracts/ids';
import type { Clock } from '@inventory/runtime/clock';
import type { EventStreamClient } from './event-stream-client.ts';
import type { ProjectHub } from './project-hub.ts';
import type { ProjectHubs } from './project-hubs.ts';
import { recoveryNeeded, type StreamPosition } from './stream-position.domain.ts';
import { extentOf, recoveryOf } from './stream-session.ts';

export interface OpenStreamDeps {
  readonly hubs: Pick<ProjectHubs, 'openHub'>;
  readonly log: EventStreamClient;
  readonly sealPosition: (projectId: ProjectId, place: StreamPosition) => string;
  readonly clock: Clock;
}

export interface StreamStart {
  readonly hub: ProjectHub;
  /** Position of the checkpoint: the connection continues after it. */
  readonly place: StreamPosition;
  /** The control frame that ends the stream where the position cannot be continued. */
  readonly recovery: string | null;
}

/**
 * Start of a connection: its cursor, never the head instead, which would skip events; without a
 * cursor the current head. Rejects when the event-stream is unavailable.
 */
export async function openStream(
  { hubs, log, sealPosition, clock }: OpenStreamDeps,
  projectId: ProjectId,
  cursor: StreamPosition | null,
): Promise<StreamStart> {
  const asOfMs = clock.now();
  const hub = await hubs.openHub(projectId);
  if (cursor === null) {
    const place = { logEpoch: hub.logEpoch, position: hub.ring.last, asOfMs };
    return { hub, place, recovery: null };
  }
  if (cursor.logEpoch === hub.logEpoch && cursor.position <= hub.ring.last) {
    return { hub, place: cursor, recovery: null };
  }
  // The position is ahead of this replica, or of another epoch: the log decides.
  const page = await log.readLogPage(projectId, cursor.position, 1);
  const reason = recoveryNeeded(cursor, extentOf(page));
  if (reason === null) {
    hub.updateHead(page.log_epoch, page.head_position);
    return { hub, place: cursor, recovery: null };
  }
  const seal = (place: StreamPosition) => sealPosition(projectId, place);
  return { hub, place: cursor, recovery: recoveryOf(reason, page, seal) };
}
