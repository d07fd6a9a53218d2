import { Agent, type Dispatcher, request } from 'undici';
import type { z } from 'zod';

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
  /** Aborted when nobody waits for the answer any longer: the connection is closed. */
  readonly signal?: AbortSignal;
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

/** Another service refused the call with a status below 500. */
export class CallRefused extends Error {
  override name = 'CallRefused';
  readonly status: number;
  readonly code: string;

  constructor(service: string, status: number, code: string) {
    super(`${service} refused: ${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

/** Calls one internal service. */
export interface InternalClient {
  /**
   * The parsed answer; {@link CallRefused} when it was refused below 500,
   * {@link ServiceUnreachable} when there is none or it is not what the schema says.
   */
  json<Schema extends z.ZodType>(schema: Schema, call: InternalCall): Promise<z.output<Schema>>;
  /** Status, headers and bytes; {@link ServiceUnreachable} when there is no answer below 500. */
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
    const answer = await request(address(options.baseUrl, call), {
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
    });
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
        if (answer.status < 500) return answer;
        throw new ServiceUnreachable(`${options.service} answered ${answer.status}`);
      } catch (error) {
        if (error instanceof ServiceUnreachable) throw error;
        const timedOut = (error as { name?: unknown }).name === 'TimeoutError';
        if (timedOut || call.signal?.aborted || attempt >= tries) {
          throw new ServiceUnreachable(`${options.service} did not answer`, { cause: error });
        }
      }
    }
  }

  return {
    bytes,
    async json(schema, call) {
      const answer = await bytes(call);
      if (answer.status >= 400) throw refusalOf(options.service, answer);
      return parseAnswer(options.service, schema, answer);
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

function refusalOf(service: string, answer: RawAnswer): CallRefused {
  let code = 'refused';
  try {
    const parsed = JSON.parse(answer.body.toString()) as { error?: { code?: unknown } };
    if (typeof parsed.error?.code === 'string') code = parsed.error.code;
  } catch {
    // The status alone says enough.
  }
  return new CallRefused(service, answer.status, code);
}
