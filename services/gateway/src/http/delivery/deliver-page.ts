import type { ServerResponse } from 'node:http';
import { bytesOf } from '@inventory/http/byte-parts';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { BilledRefused } from '../billed-refused.ts';
import type { PageDelivery } from '../public-response.ts';
import { renderRefused } from '../render-errors.ts';
import type { DeliverySlot, PublicContext, PublicMiddleware } from '../request-state.ts';
import { stepBytes } from './delivery-slots.ts';
import { firstBytesMax, write, writeFirst } from './first-bytes.ts';

/**
 * Writes what is charged: a page, or a confirmed denial. The response owns its socket here: requests
 * of a connection are handled in order.
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
    const { delivery } = state;
    if (delivery === undefined) return;
    try {
      deliver(context, { delivery, clock }, () => {
        if (denial) renderRefused(context, denial, prices.currentVersion());
      });
    } catch (error) {
      removeResponseHeaders(context);
      throw error;
    }
  };
}

/** The headers of a page do not apply to the refusal of one that comes too late. */
function removeResponseHeaders(context: PublicContext): void {
  for (const name of [...(context.state.responseHeaders ?? []), 'Content-Encoding']) {
    context.remove(name);
  }
}

/** Throws where it is too late for the first byte. */
function deliver(
  context: PublicContext,
  terms: { readonly delivery: PageDelivery; readonly clock: Clock },
  render: () => void,
): void {
  const { res } = context;
  let left: readonly Unwritten[] = [];
  const begun = writeFirst(res, terms, () => {
    render();
    const { parts = [context.body] } = context.state;
    invariant(parts.every(Buffer.isBuffer), 'a charged body is bytes');
    context.length = bytesOf(parts);
    context.respond = false;
    const [first, remainder] = splitParts(parts);
    left = remainder;
    return first;
  });
  const { slot } = context.state;
  // The remainder is written afterwards: one write is acknowledged as a whole. Where the
  // connection closes meanwhile, nothing is left to do.
  begun.then(() => writeRemainder(res, left, slot)).catch(() => {});
}

/** In steps, so that memory is returned, and the client is seen to take it, as it goes. */
async function writeRemainder(
  res: ServerResponse,
  remainder: readonly Unwritten[],
  slot: DeliverySlot | undefined,
): Promise<void> {
  slot?.taken(firstBytesMax);
  let left = remainder;
  do {
    if (res.destroyed) return;
    const [step, after] = splitStep(left);
    res.cork();
    const written = Promise.all(step.map((one) => writePart(res, one)));
    if (after.length === 0) res.end();
    else res.uncork();
    await written;
    slot?.taken(stepBytes);
    left = after;
  } while (left.length > 0);
}

async function writePart(res: ServerResponse, { part, whole }: Unwritten): Promise<void> {
  await write(res, part);
  if (whole !== null) freeBytes(whole);
}

/** Bytes to write, and the memory that is returned then; null where more of it is left. */
interface Unwritten {
  readonly part: Buffer;
  readonly whole: Buffer | null;
}

/** A copy of the first bytes in one buffer, and what is left. */
function splitParts(
  parts: readonly Buffer[],
): readonly [first: Buffer, remainder: readonly Unwritten[]] {
  let missing = firstBytesMax;
  const split = parts.map((whole) => {
    const first = whole.subarray(0, missing);
    missing -= first.length;
    return { first, part: whole.subarray(first.length), whole };
  });
  const remainder = split.filter(({ part }) => part.length > 0);
  return [Buffer.concat(split.map(({ first }) => first)), remainder];
}

/** The bytes of one step, and what is left. */
function splitStep(
  remainder: readonly Unwritten[],
): readonly [step: readonly Unwritten[], after: readonly Unwritten[]] {
  const step: Unwritten[] = [];
  let capacity = stepBytes;
  for (const [index, { part, whole }] of remainder.entries()) {
    if (part.length > capacity) {
      if (capacity > 0) step.push({ part: part.subarray(0, capacity), whole: null });
      return [step, [{ part: part.subarray(capacity), whole }, ...remainder.slice(index + 1)]];
    }
    step.push({ part, whole });
    capacity -= part.length;
  }
  return [step, []];
}
