import { readJsonBody } from './read-json-body.ts';
import { type PublicMiddleware, required } from './request-state.ts';

export function readBody(): PublicMiddleware {
  return async (context, next) => {
    const { readsBody, bodyBytesMax } = required(context.state, 'route');
    if (readsBody) {
      context.state.body = await readJsonBody(context.req, bodyBytesMax);
    }
    await next();
  };
}
