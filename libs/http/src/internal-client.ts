import { type Refusal, type RefusalCode, refusal } from '@inventory/contracts/refusal';
import { isTimeoutError } from '@inventory/runtime/is-timeout-error';
import { sendingTrace } from '@inventory/runtime/tracing';
import { Agent, type Dispatcher, request } from 'undici';
import { z } from 'zod';
import { Refused } from './refused.ts';

export const serviceTokenHeader = 'x-service-token';

export interface InternalClientOptions {
  readonly baseUrl: string;
  /** Which service is called, for errors. */
  readonly service: string;
  readonly serviceToken: string | undefined;
  readonly timeoutMs: number;
}

export interface InternalCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is bytes already. */
  readonly body?: unknown;
  readonly timeoutMs?: number;
  /** Aborted when the answer is no longer needed: the connection is closed. */
  readonly signal?: AbortSignal;
  /** Refusals that answer the call: it rejects with {@link Refused} for these codes. */
  readonly refusals?: readonly RefusalCode[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Another service did not answer, or answered with a fault of its own. */
export class ServiceUnreachable extends Error {
  override name = 'ServiceUnreachable';
}

/** Another service refused a call for a reason that its caller does not expect: a fault. */
export class CallRefused extends Error {
  override name = 'CallRefused';
  readonly code: RefusalCode | null;

  constructor(service: string, status: number, code: RefusalCode | null) {
    super(`${service} refused: ${status} ${code ?? 'without a code'}`);
    this.code = code;
  }
}

/**
 * Calls one internal service. Rejects with {@link Refused} for the refusals that the call names,
 * with {@link CallRefused} for any other below 500, and with {@link ServiceUnreachable} when there
 * is no answer or it is a fault.
 */
export interface InternalClient {
  /** The parsed answer; one that the schema does not allow is a fault. */
  json<Schema extends z.ZodType>(schema: Schema, call: InternalCall): Promise<z.output<Schema>>;
  /** Headers and bytes of a success. */
  bytes(call: InternalCall): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** Reads are tried twice: a connection that idled may have been closed by the other side. */
const readTries = 2;

/** A service that is there accepts at once; where answers may take long, so may that. */
const connectTimeoutMinMs = 2_000;

export function createInternalClient(options: InternalClientOptions): InternalClient {
  const connect = { timeout: Math.max(connectTimeoutMinMs, options.timeoutMs / 10) };
  const agent = new Agent({
    connections: 64,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    connect,
  });

  /** Every request on a connection of its own: other idle ones may be just as dead. */
  const fresh = new Agent({ connections: 64, pipelining: 0, connect });

  async function once(call: InternalCall, dispatcher: Agent): Promise<RawAnswer> {
    const isBytes = Buffer.isBuffer(call.body);
    const send = {
      method: call.method as Dispatcher.HttpMethod,
      dispatcher,
      headers: {
        ...(options.serviceToken ? { [serviceTokenHeader]: options.serviceToken } : {}),
        ...(call.body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: isBytes ? (call.body as Buffer) : bodyText(call.body),
      signal: AbortSignal.any([
        AbortSignal.timeout(call.timeoutMs ?? options.timeoutMs),
        ...(call.signal ? [call.signal] : []),
      ]),
    };
    const answer = await sendingTrace(() => request(address(options.baseUrl, call), send));
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  }

  async function bytes(call: InternalCall): Promise<RawAnswer> {
    const tries = call.method === 'GET' ? readTries : 1;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await once(call, attempt === 1 ? agent : fresh);
        if (answer.status < 400) return answer;
        throw toError(options.service, answer, call.refusals);
      } catch (error) {
        if (answerErrors.some((kind) => error instanceof kind)) throw error;
        if (isTimeoutError(error) || call.signal?.aborted || attempt >= tries) {
          throw new ServiceUnreachable(`${options.service} did not answer`, { cause: error });
        }
      }
    }
  }

  return {
    bytes,
    async json(schema, call) {
      return parseAnswer(options.service, schema, await bytes(call));
    },
    async close() {
      await Promise.all([agent.close(), fresh.close()]);
    },
  };
}

function address(baseUrl: string, call: InternalCall): URL {
  const url = new URL(call.path, baseUrl);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value === undefined) continue;
    for (const single of typeof value === 'object' ? value : [value]) {
      url.searchParams.append(name, String(single));
    }
  }
  return url;
}

function bodyText(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}

/** An answer of another shape is a fault over there: nothing that the caller sent was wrong. */
function parseAnswer<Schema extends z.ZodType>(
  service: string,
  schema: Schema,
  { body }: RawAnswer,
): z.output<Schema> {
  try {
    return schema.parse(body.length === 0 ? undefined : JSON.parse(body.toString()));
  } catch (cause) {
    throw new ServiceUnreachable(`${service} answered what it should not`, { cause });
  }
}

const answerErrors = [Refused, CallRefused, ServiceUnreachable];
const errorBody = z.object({ error: refusal });

function toError(service: string, answer: RawAnswer, expected: readonly RefusalCode[] = []): Error {
  const refused = refusalIn(answer);
  if (refused !== null && expected.includes(refused.code)) return new Refused(refused);
  if (answer.status >= 500) return new ServiceUnreachable(`${service} answered ${answer.status}`);
  return new CallRefused(service, answer.status, refused?.code ?? null);
}

/** Null where the body is no refusal that is known here. */
function refusalIn({ body }: RawAnswer): Refusal | null {
  try {
    return errorBody.parse(JSON.parse(body.toString())).error;
  } catch {
    return null;
  }
}

/** What a call resolves with; null where it is refused in a way that it names. */
export async function nullIfRefused<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  return await call.catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
}
