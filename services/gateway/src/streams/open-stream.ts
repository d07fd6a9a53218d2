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
  /** Where the checkpoint says that the connection goes on from. */
  readonly place: StreamPosition;
  /** The frame after the checkpoint that ends the stream, where the place cannot be gone on from. */
  readonly recovery: string | null;
}

/**
 * Where a connection starts: at its cursor, never at the head instead, which would skip what lies
 * between; without a cursor at the present end. Rejects when the log's owner does not answer.
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
  // Ahead of what this replica has heard of, or from another epoch: the log itself decides.
  const page = await log.readLogPage(projectId, cursor.position, 1);
  const reason = recoveryNeeded(cursor, extentOf(page));
  if (reason === null) {
    hub.updateHead(page.log_epoch, page.head_position);
    return { hub, place: cursor, recovery: null };
  }
  const seal = (place: StreamPosition) => sealPosition(projectId, place);
  return { hub, place: cursor, recovery: recoveryOf(reason, page, seal) };
}
