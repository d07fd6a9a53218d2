import { request } from 'undici';

export interface JsonCall {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An API that answered with an error, or not at all. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  /** 0 when there was no answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const timeoutMs = 30_000;

/** One call; rejects with {@link CallFailed} on everything but a 2xx answer in JSON. */
export async function callJson(call: JsonCall): Promise<JsonAnswer> {
  const { method, url, body } = call;
  const name = `${method} ${new URL(url).pathname}`;
  let answer: { status: number; text: string };
  try {
    const { statusCode, body: content } = await request(url, {
      method,
      headers: {
        ...call.headers,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    answer = { status: statusCode, text: await content.text() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallFailed(`${name} was not answered: ${reason}`, 0);
  }
  const { status, text } = answer;
  const parsed = parse(text);
  if (status < 200 || status > 299 || parsed === null) {
    throw new CallFailed(`${name} answered ${status}${errorIn(parsed)}`, status);
  }
  return { status, body: parsed };
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function errorIn(body: Readonly<Record<string, unknown>> | null): string {
  const { error } = (body ?? {}) as { error?: { code?: unknown; message?: unknown } };
  if (error?.code === undefined) return '';
  return `: ${String(error.code)}, ${String(error.message)}`;
}
