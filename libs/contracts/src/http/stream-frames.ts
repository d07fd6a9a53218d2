import { z } from 'zod';
import { projectEvent } from './project-event.ts';

/** `data` of the first frame of a connection; its `id` is where the connection continues from. */
export const checkpointData = z.object({ as_of: z.iso.datetime() });

/** `data` of the frame after which a client reconnects. */
export const closingData = z.object({
  reason: z.enum(['draining', 'slow_consumer', 'max_age', 'unavailable']),
  retry_after_ms: z.int().min(1_000).max(60_000).describe('Also as `retry:`.'),
});

/** `data` of the frame after which a client recovers: events after its cursor have expired. */
export const recoveryData = z.object({
  reason: z.enum(['cursor_too_old', 'log_epoch_changed']),
  earliest_as_of: z.iso.datetime().nullable().describe('Null while the log is empty.'),
  resume_cursor: z.string(),
});

/** `data` of the frame after which a client stops. */
export const revokedData = z.object({
  reason: z.enum([
    'credential_revoked',
    'credential_expired',
    'owner_suspended',
    'permission_removed',
    'network_policy',
    'events_not_enabled',
  ]),
});

/** `data` of each frame, by its `event`; later versions may add types of events. */
export const streamFrames = {
  checkpoint: checkpointData,
  ...Object.fromEntries(projectEvent.options.map((event) => [event.in.shape.type.value, event])),
  'stream.closing': closingData,
  'stream.recovery_required': recoveryData,
  'stream.authorization_revoked': revokedData,
};
