import type { AccountId } from '@inventory/contracts/ids';
import type { Refusal } from '@inventory/contracts/refusal';
import { bytesOf } from '@inventory/http/byte-parts';
import { Refused } from '@inventory/http/refused';
import type { PublicResponse } from '../public-response.ts';
import { type PublicContext, required } from '../request-state.ts';
import type { DeliverySlots } from './delivery-slots.ts';

const retryAfterSeconds = 1;

/**
 * Counts the bytes until the response is closed; returns the refusal where there are too many. What is
 * held already is never refused for its size.
 */
export function holdBytes(
  undelivered: DeliverySlots<AccountId>,
  { req, res, state }: PublicContext,
  bytes: number,
): Refusal | null {
  if (state.slot !== undefined) {
    state.slot.resize(bytes);
    return null;
  }
  const { accountId } = required(state, 'principal');
  const permit = undelivered.acquire(accountId, bytes, () => void req.socket.destroy());
  switch (permit.result) {
    case 'key_full':
      return {
        code: 'rate_limit_exceeded',
        detail: { limit: 'undelivered_bytes', bytes_max: undelivered.limits.perKeyMax },
        retry_after_seconds: retryAfterSeconds,
      };
    case 'total_full':
      return { code: 'service_unavailable', retry_after_seconds: retryAfterSeconds };
    case 'granted':
      state.slot = permit.slot;
      if (res.closed) permit.slot.release();
      else res.once('close', permit.slot.release);
      return null;
  }
}

/** Smaller responses are not counted. */
const heldBytesMin = 16 * 1024;

/** The same for a read that is not a page. Any other operation has had its effect by then. */
export function holdRead(
  undelivered: DeliverySlots<AccountId>,
  context: PublicContext,
  response: PublicResponse,
): void {
  const { req, state } = context;
  if (state.slot !== undefined || state.principal === undefined || req.method !== 'GET') return;
  const bytes = Buffer.isBuffer(response.body) ? response.body.length : bytesOf(response.body);
  if (bytes < heldBytesMin) return;
  const refusal = holdBytes(undelivered, context, bytes);
  if (refusal !== null) throw new Refused(refusal);
  required(state, 'slot').taken(0);
}
