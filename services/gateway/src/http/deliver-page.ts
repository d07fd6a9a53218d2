import { bytesOf } from '@inventory/http/byte-parts';
import { probeHalfClosed } from '@inventory/http/half-closed';
import { invariant } from '@inventory/runtime/bug';
import type { Clock } from '@inventory/runtime/clock';
import { freeBytes } from '@inventory/runtime/free-bytes';
import type { PageDelivery } from './answer.ts';
import { BilledRefused } from './billed-refused.ts';
import { firstBytesMax, writeFirst } from './first-bytes.ts';
import { renderRefused } from './render-errors.ts';
import type { PublicContext, PublicMiddleware } from './request-state.ts';

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
    await probeHalfClosed(context.res);
    try {
      deliver(context, { delivery, clock }, () => {
        if (denial) renderRefused(context, denial, prices.currentVersion());
      });
    } catch (error) {
      removeAnswerHeaders(context);
      throw error;
    }
  };
}

/** The headers of a page do not apply to the refusal of one that comes too late. */
function removeAnswerHeaders(context: PublicContext): void {
  for (const name of [...(context.state.answerHeaders ?? []), 'Content-Encoding']) {
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
  let behind: readonly Rest[] = [];
  const begun = writeFirst(res, terms, () => {
    render();
    const { parts = [context.body] } = context.state;
    invariant(parts.every(Buffer.isBuffer), 'a charged body is bytes');
    context.length = bytesOf(parts);
    context.respond = false;
    const [first, rest] = splitParts(parts);
    behind = rest;
    return first;
  });
  // The rest is written afterwards: one write is acknowledged as a whole.
  begun.then(
    () => {
      res.cork();
      for (const { part, whole } of behind) res.write(part, (lost) => lost || freeBytes(whole));
      res.end();
    },
    // The charge is reversed, and the connection closed.
    () => {},
  );
}

/** What is left of a part, and the part. */
interface Rest {
  readonly part: Buffer;
  readonly whole: Buffer;
}

/** A copy of the first bytes in one buffer, and what is behind them. */
function splitParts(parts: readonly Buffer[]): readonly [first: Buffer, rest: readonly Rest[]] {
  let missing = firstBytesMax;
  const split = parts.map((whole) => {
    const first = whole.subarray(0, missing);
    missing -= first.length;
    return { first, part: whole.subarray(first.length), whole };
  });
  const rest = split.filter(({ part }) => part.length > 0);
  return [Buffer.concat(split.map(({ first }) => first)), rest];
}
