import type { ProjectId } from '@inventory/contracts/ids';
import { extentOf, recoveryOf } from './log-recovery.ts';
import type { StreamServices } from './open-event-streams.ts';
import type { ProjectHub } from './project-hub.ts';
import { recoveryNeeded, type StreamPosition } from './stream-position.domain.ts';

export interface StreamStart {
  readonly hub: ProjectHub;
  /** Position of the checkpoint: the connection continues after it. */
  readonly after: StreamPosition;
  /** The control frame that ends the stream where the position cannot be continued. */
  readonly recovery: string | null;
}

/**
 * Start of a connection: its cursor, never the head instead, which would skip events; without a
 * cursor the current head. Rejects when the event-stream is unavailable.
 */
export async function openStream(
  { hubs, session: { log, sealPosition }, clock }: StreamServices,
  projectId: ProjectId,
  cursor: StreamPosition | null,
): Promise<StreamStart> {
  const hub = await hubs.openHub(projectId);
  if (cursor === null) {
    const after = { logEpoch: hub.logEpoch, position: hub.ring.last, asOfMs: clock.now() };
    return { hub, after, recovery: null };
  }
  if (cursor.logEpoch === hub.logEpoch && cursor.position <= hub.ring.last) {
    return { hub, after: cursor, recovery: null };
  }
  // The position is ahead of this replica, or of another epoch: the log decides.
  const batch = await log.readLogBatch(projectId, cursor.position, 1);
  const reason = recoveryNeeded(cursor, extentOf(batch));
  if (reason === null) {
    hub.updateHead(batch.logEpoch, batch.headPosition);
    return { hub, after: cursor, recovery: null };
  }
  const seal = (at: StreamPosition) => sealPosition(projectId, at);
  return { hub, after: cursor, recovery: recoveryOf(reason, batch, seal) };
}
