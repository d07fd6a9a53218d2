import { bytesOf } from '@inventory/http/byte-parts';
import { probeHalfClosed } from '@inventory/http/half-closed';
import { Refused } from '@inventory/http/refused';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { freeBytes } from '@inventory/runtime/free-bytes';
import type { PageDelivery } from './answer.ts';
import { BilledRefused } from './billed-refused.ts';
import { renderRefused } from './render-errors.ts';
import type { PublicContext, PublicMiddleware } from './request-state.ts';

/** Written separately, so that its own completion is observed. */
const firstBytes = 16 * 1024;
const retryAfterSeconds = 1;

/**
 * Writes what is charged: a page, or a confirmed denial. The charge stands once the operating
 * system has accepted the first body bytes. Otherwise it is reversed: when the connection closes
 * first, and when the deadline passes first, which closes the connection, so that no byte of a
 * reversed page is sent later. The response owns its socket here (requests of a connection are
 * handled in order), and nothing is awaited between reading the clock and the write.
 */
export function deliverPage(
  clock: Clock,
  prices: { currentVersion(): number | null },
): PublicMiddleware {
  return async (context, next) => {
    const { state } = context;
    let denial: BilledRefused | undefined;
    try {
      await next();
    } catch (error) {
      if (!(error instanceof BilledRefused) || error.delivery === undefined) {
        state.delivery?.abandoned();
        throw error;
      }
      denial = error;
      state.delivery = error.delivery;
    }
    if (state.delivery === undefined) return;
    await probeHalfClosed(context.res);
    if (clock.now() >= state.delivery.deadlineMs) throw tooLate(context, state.delivery);
    if (denial) renderRefused(context, denial, prices.currentVersion());
    write(context, state.delivery, state.delivery.deadlineMs - clock.now());
  };
}

/** The headers of the page do not apply to the refusal. */
function tooLate(context: PublicContext, delivery: PageDelivery): Refused {
  delivery.abandoned();
  for (const name of [...(context.state.answerHeaders ?? []), 'Content-Encoding']) {
    context.remove(name);
  }
  return new Refused({ code: 'billing_unavailable', retry_after_seconds: retryAfterSeconds });
}

function write(context: PublicContext, delivery: PageDelivery, withinMs: number): void {
  const { body, res } = context;
  const { socket } = context.req;
  const { parts = [body] } = context.state;
  invariant(parts.every(Buffer.isBuffer), 'a charged body is bytes');
  context.length = bytesOf(parts);
  context.respond = false;
  if (res.destroyed || socket.destroyed) {
    delivery.abandoned();
    return;
  }
  const deadline = setTimeout(() => {
    delivery.abandoned();
    socket.destroy();
  }, withinMs);
  // The rest is written afterwards: one write is acknowledged as a whole.
  const [first, rest] = splitParts(parts);
  res.write(first, (error) => {
    clearTimeout(deadline);
    if (error) return delivery.abandoned();
    delivery.delivered();
    res.cork();
    for (const { part, whole } of rest) res.write(part, (lost) => lost || freeBytes(whole));
    res.end();
  });
}

/** What is left of a part, and the part. */
interface Rest {
  readonly part: Buffer;
  readonly whole: Buffer;
}

/** A copy of the first bytes in one buffer, and what is behind them. */
function splitParts(parts: readonly Buffer[]): readonly [first: Buffer, rest: readonly Rest[]] {
  let missing = firstBytes;
  const split = parts.map((whole) => {
    const first = whole.subarray(0, missing);
    missing -= first.length;
    return { first, part: whole.subarray(first.length), whole };
  });
  const rest = split.filter(({ part }) => part.length > 0);
  return [Buffer.concat(split.map(({ first }) => first)), rest];
}
