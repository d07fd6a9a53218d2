/** Why a stream ends although its reader may come back. */
export type ClosingReason = 'draining' | 'slow_consumer' | 'max_age' | 'unavailable';

/** Why a stream ends for good. */
export type RevocationReason =
  | 'credential_revoked'
  | 'credential_expired'
  | 'owner_suspended'
  | 'permission_removed'
  | 'network_policy'
  | 'events_disabled';

export interface RecoveryNotice {
  readonly reason: 'cursor_too_old' | 'log_epoch_changed';
  /** ISO 8601; null while nothing is kept. */
  readonly earliest_as_of: string | null;
  readonly resume_cursor: string;
}

/** A comment: tells proxies and both ends that the connection lives. */
export const heartbeatFrame = ':\n\n';

/** The first frame: its id is where this connection goes on from. */
export function checkpointFrame(cursor: string, asOf: string): string {
  return frame('checkpoint', { as_of: asOf }, { id: cursor });
}

/** An event as it is; its type is the frame's. */
export function eventFrame<Event extends { readonly type: string }>(
  cursor: string,
  event: Event,
): string {
  return frame(event.type, event, { id: cursor });
}

/** `retry:` says the same to readers that know nothing of control frames. */
export function closingFrame(reason: ClosingReason, retryAfterMs: number): string {
  return frame(
    'stream.closing',
    { reason, retry_after_ms: retryAfterMs },
    { retry: String(retryAfterMs) },
  );
}

export function recoveryFrame(notice: RecoveryNotice): string {
  return frame('stream.recovery_required', notice);
}

export function revokedFrame(reason: RevocationReason): string {
  return frame('stream.authorization_revoked', { reason });
}

/** Control frames have no `id`: an empty one would make a reader forget its place. */
function frame(
  event: string,
  data: object,
  fields: { readonly id?: string; readonly retry?: string } = {},
): string {
  const lines = [
    `event: ${event}`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    // JSON has no line breaks of its own: those in texts are escaped.
    `data: ${JSON.stringify(data)}`,
  ];
  if (lines.some((line) => /[\r\n\0]/.test(line))) {
    throw new RangeError('a line break in a field would make it two');
  }
  return `${lines.join('\n')}\n\n`;
}
