import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Semaphore } from '@inventory/runtime/semaphore';
import type { ClosingReason, RevocationReason } from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import type { SilentPeers } from './silent-peers.ts';
import type { PositionSeal } from './stream-position.domain.ts';

interface StreamLimits {
  readonly heartbeatMs: number;
  /** Longest life of a connection; each ends at 2/3 of it at the earliest. */
  readonly lifeMaxMs: number;
  /** Longest time without progress: nothing of what is queued is taken, or of what was sent acknowledged. */
  readonly slowAfterMs: number;
  /** Time over which the streams are closed when the service stops. */
  readonly drainMs: number;
}

/** What the sessions of a replica share. */
export interface SessionContext {
  readonly log: EventStreamClient;
  readonly sealPosition: PositionSeal;
  /** Bounds the concurrent reads from the log. */
  readonly replays: Semaphore;
  /** Waits before a retry; false after the last one. */
  readonly pauseAfterFailure: (failures: number) => Promise<boolean>;
  readonly limits: StreamLimits;
  readonly silentPeers: SilentPeers;
  /** Called once for each stream that the replica ends. */
  readonly onClosed: (reason: ClosingReason | RevocationReason) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}
