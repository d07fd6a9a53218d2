import type { Context } from 'koa';
import { bytesOf } from './byte-parts.ts';

/** A response that has more than a JSON body with the endpoint's status. */
export class Reply {
  readonly parts: {
    /** That of the endpoint when absent. */
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** Media type of the body; JSON when absent. */
    readonly type?: string;
    /** A value to be sent as JSON, or bytes, in chunks too, text or a stream of `type`. */
    readonly body?: unknown;
  };

  constructor(parts: Reply['parts']) {
    this.parts = parts;
  }
}

/** Sends what a handler returned; without a value the body is empty. */
export function sendReply(context: Context, status: number, result: unknown): void {
  const { parts } = result instanceof Reply ? result : { parts: { body: result } };
  context.status = parts.status ?? status;
  context.set({ ...parts.headers });
  if (parts.type !== undefined) context.type = parts.type;
  if (isChunks(parts.body)) sendChunks(context, parts.body);
  else if (parts.body !== undefined) context.body = parts.body;
}

function isChunks(body: unknown): body is readonly Buffer[] {
  return Array.isArray(body) && body.length > 0 && body.every(Buffer.isBuffer);
}

/** Koa knows no such body. */
function sendChunks(context: Context, chunks: readonly Buffer[]): void {
  const { res } = context;
  context.length = bytesOf(chunks);
  context.respond = false;
  if (res.destroyed) return;
  res.cork();
  for (const chunk of chunks) res.write(chunk);
  res.end();
}
