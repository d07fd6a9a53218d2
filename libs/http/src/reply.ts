import type { Context } from 'koa';

interface ReplyParts {
  /** That of the endpoint when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of the body; JSON when absent. */
  readonly type?: string;
  /** A value to be sent as JSON, or bytes, text or a stream of `type`. */
  readonly body?: unknown;
}

/** An answer that has more than a JSON body with the endpoint's status. */
export class Reply {
  readonly parts: ReplyParts;

  constructor(parts: ReplyParts) {
    this.parts = parts;
  }
}

/** Sends what a handler returned; without a value the body is empty. */
export function sendReply(context: Context, status: number, result: unknown): void {
  const { parts } = result instanceof Reply ? result : { parts: { body: result } };
  context.status = parts.status ?? status;
  context.set({ ...parts.headers });
  if (parts.type !== undefined) context.type = parts.type;
  if (parts.body !== undefined) context.body = parts.body;
}
