import { readJsonBody } from './read-json-body.ts';
import { type PublicMiddleware, required } from './request-state.ts';

const bytesMax = 16 * 1024;

export function readBody(): PublicMiddleware {
  return async (context, next) => {
    if (required(context.state, 'route').readsBody) {
      context.state.body = await readJsonBody(context.req, bytesMax);
    }
    await next();
  };
}
