import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { refuseForNow } from './refusal.ts';
import type { PublicContext, PublicMiddleware } from './request-state.ts';

/** Written apart from the rest, so that its own completion is known. */
const firstBytes = 16 * 1024;
const retryAfterSeconds = 1;

/**
 * Writes a page that is charged. The charge stands from the moment the connection has taken the
 * first body bytes; if it never does, or not before the deadline, the charge is undone. Nothing
 * is awaited between the look at the clock and the write.
 */
export function deliverPage(clock: Clock): PublicMiddleware {
  return async (context, next) => {
    const { state } = context;
    try {
      await next();
    } catch (error) {
      state.delivery?.abandoned();
      throw error;
    }
    if (state.delivery) write(context, clock);
  };
}

function write(context: PublicContext, clock: Clock): void {
  const { body, res, state } = context;
  const { delivery } = state;
  invariant(delivery !== undefined && Buffer.isBuffer(body), 'a charged page is bytes');
  if (clock.now() >= delivery.deadlineMs) {
    delivery.abandoned();
    throw refuseForNow('billing_unavailable', retryAfterSeconds);
  }
  context.respond = false;
  if (res.destroyed || context.req.socket.destroyed) {
    delivery.abandoned();
    return;
  }
  res.write(body.subarray(0, firstBytes), (error) => {
    if (error) delivery.abandoned();
    else delivery.delivered();
  });
  res.end(body.subarray(firstBytes));
}
