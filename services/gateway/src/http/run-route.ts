import { joined } from '@inventory/http/byte-parts';
import { readInput } from '@inventory/http/read-input';
import { authorizeAgain } from './authorize.ts';
import { holdBytes, holdRead } from './delivery/hold-response.ts';
import { acceptedCoding } from './negotiate-content.ts';
import type { PublicFrame } from './public-frame.ts';
import { type PublicMiddleware, required } from './request-state.ts';

/** Reads and validates the input, runs the operation and returns its response. */
export function runRoute(frame: PublicFrame): PublicMiddleware {
  return async (context) => {
    const { req, res, state } = context;
    const gone = new AbortController();
    res.once('close', () => {
      if (!res.writableFinished) gone.abort();
    });
    const request = {
      requestId: state.requestId,
      environment: state.principal?.environment ?? 'live',
      // An operation without a key has none of these, and reads none.
      get principal() {
        return required(state, 'principal');
      },
      get rateLimit() {
        return required(state, 'rateLimit');
      },
      get counted() {
        return required(state, 'counted');
      },
      get clientAddress() {
        return required(state, 'clientAddress');
      },
      get secretDigest() {
        return required(state, 'secretDigest');
      },
      hold: (bytes: number) => holdBytes(frame.undelivered, context, bytes),
      close: () => void req.socket.destroy(),
      type: required(state, 'type'),
      acceptedCoding: () => acceptedCoding(context),
      signal: gone.signal,
    };
    const route = required(state, 'route');
    const pathValues = required(state, 'pathValues');
    const raw = await readInput(req, route, pathValues, false);
    await authorizeAgain(frame, state);
    const response = await route.run(raw, request);
    if ('stream' in response) {
      context.respond = false;
      await response.stream(res).catch((error: unknown) => {
        context.respond = !res.headersSent;
        throw error;
      });
      return;
    }
    if (response.delivery) state.delivery = response.delivery;
    else holdRead(frame.undelivered, context, response);
    context.status = response.status;
    context.set({ ...response.headers });
    state.responseHeaders = Object.keys(response.headers ?? {});
    context.type = response.type ?? 'json';
    const { body } = response;
    // Only the delivery of a charged page writes parts.
    if (Buffer.isBuffer(body)) context.body = body;
    else if (response.delivery) state.parts = body;
    else context.body = joined(body);
  };
}
