import type { InternalOperation } from '@inventory/contracts/internal/operations';
import { type Refusal, type RefusalCode, refusal } from '@inventory/contracts/refusal';
import { monotonicNow } from '@inventory/runtime/clock';
import { sendingTrace } from '@inventory/runtime/tracing';
import type { Agent, Dispatcher } from 'undici';
import { z } from 'zod';
import { joined } from './byte-parts.ts';
import { type Lane, type OpenLane, openLane, shortCalls } from './call-lanes.ts';
import { dispatchRequest, type PartsResponse, type ResponseHead } from './dispatch-request.ts';
import { pathOf } from './path-of.ts';
import { Refused } from './refused.ts';
import type { DataOf } from './route.ts';

export const serviceTokenHeader = 'x-service-token';

export interface InternalClientOptions {
  readonly baseUrl: string;
  /** Which service is called, for errors. */
  readonly service: string;
  readonly serviceToken: string | undefined;
  readonly timeoutMs: number;
}

/** How an operation is called, beside its input. */
export interface CallSettings {
  /** For all of it: the wait for a connection and both tries too. */
  readonly timeoutMs?: number;
  /** {@link shortCalls} when absent. */
  readonly lane?: Lane;
  /** Aborted when the response is not needed any more: the call ends, its connection is closed. */
  readonly signal?: AbortSignal;
}

export interface InternalCall extends CallSettings {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** A function is called when the request is sent, with the milliseconds that are left then. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | ((timeLeftMs: number) => Readonly<Record<string, string>>);
  /** Sent as JSON unless it is bytes already. */
  readonly body?: unknown;
  /** Refusals that are responses to the call: it rejects with {@link Refused} for these codes. */
  readonly refusals?: readonly RefusalCode[];
}

/** The input of an operation as its callers have it. */
export type CallInput<Schemas extends InternalOperation['input']> = {
  readonly [Part in keyof Schemas]: Schemas[Part] extends z.ZodType ? DataOf<Schemas[Part]> : never;
};

export interface RawResponse extends ResponseHead {
  readonly body: Buffer;
}

/** Another service did not respond, or responded with a fault of its own. */
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
 * is no response or it is a fault.
 */
export interface InternalClient {
  /** The response of an operation; one that its schema does not allow is a fault. */
  call<Operation extends InternalOperation>(
    operation: Operation,
    input: CallInput<Operation['input']>,
    settings?: CallSettings,
  ): Promise<z.output<Operation['response']>>;
  /** The parsed response of an operation that its callers do not have as one. */
  json<Schema extends z.ZodType>(schema: Schema, call: InternalCall): Promise<z.output<Schema>>;
  /** Headers and bytes of a success. */
  bytes(call: InternalCall): Promise<RawResponse>;
  /** The same as it arrived, for those that pass it on. */
  parts(call: InternalCall): Promise<PartsResponse>;
  close(): Promise<void>;
}

/** A service that is there accepts at once; where responses may take long, so may that. */
const connectTimeoutMinMs = 2_000;

export function createInternalClient(options: InternalClientOptions): InternalClient {
  const { service } = options;
  const connect = { timeout: Math.max(connectTimeoutMinMs, options.timeoutMs / 10) };
  const lanes = new Map<Lane, OpenLane>();

  function laneOf(lane: Lane): OpenLane {
    const open = lanes.get(lane) ?? openLane(lane, connect);
    lanes.set(lane, open);
    return open;
  }

  async function once(call: InternalCall, deadline: Deadline, dispatcher: Agent) {
    const isBytes = Buffer.isBuffer(call.body);
    const { headers: given } = call;
    const { origin, pathname, search } = address(options.baseUrl, call);
    const request = {
      method: call.method as Dispatcher.HttpMethod,
      origin,
      path: `${pathname}${search}`,
      headers: {
        ...(options.serviceToken ? { [serviceTokenHeader]: options.serviceToken } : {}),
        ...(call.body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
        ...(typeof given === 'function' ? given(deadline.timeLeftMs()) : given),
      },
      body: isBytes ? (call.body as Buffer) : bodyText(call.body),
    };
    const { signal } = deadline;
    return await sendingTrace(() => dispatchRequest(dispatcher, request, { signal }));
  }

  /** A read is tried twice: a connection that idled may have been closed by the other side. */
  async function tryTwice(call: InternalCall, deadline: Deadline, lane: OpenLane) {
    try {
      return await once(call, deadline, lane.agent);
    } catch (error) {
      if (call.method !== 'GET' || deadline.signal.aborted) throw error;
      return await once(call, deadline, lane.fresh);
    }
  }

  async function parts(call: InternalCall): Promise<PartsResponse> {
    const lane = laneOf(call.lane ?? shortCalls);
    const deadline = startDeadline(call.timeoutMs ?? options.timeoutMs, call.signal);
    const send = async () => {
      const release = await lane.acquireSlot(deadline.signal);
      return await tryTwice(call, deadline, lane).finally(release);
    };
    let response: PartsResponse;
    try {
      response = await Promise.race([send(), deadline.passed]);
    } catch (cause) {
      throw new ServiceUnreachable(`${service} did not respond`, { cause });
    } finally {
      deadline.clear();
    }
    if (response.status < 400) return response;
    throw toError(service, response, call.refusals);
  }

  async function bytes(call: InternalCall): Promise<RawResponse> {
    const { parts: arrived, ...head } = await parts(call);
    return { ...head, body: joined(arrived) };
  }

  return {
    bytes,
    parts,
    async call<Operation extends InternalOperation>(
      operation: Operation,
      input: CallInput<Operation['input']>,
      settings?: CallSettings,
    ) {
      const { method, template, input: schemas, refusals = [] } = operation;
      const { path = {}, query = {}, body } = encodedInput(schemas, input);
      const address = { method, path: pathOf(template, path), query };
      const schema: Operation['response'] = operation.response;
      return parseResponse(
        service,
        schema,
        await bytes({ ...settings, ...address, body, refusals }),
      );
    },
    async json(schema, call) {
      return parseResponse(service, schema, await bytes(call));
    },
    async close() {
      await Promise.all([...lanes.values()].map((lane) => lane.close()));
    },
  };
}

interface SentInput {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: NonNullable<InternalCall['query']>;
  readonly body?: unknown;
}

function encodedInput(
  schemas: InternalOperation['input'],
  input: Readonly<Record<string, unknown>>,
): SentInput {
  const parts = Object.entries(schemas).map(([part, schema]) => [
    part,
    z.encode(schema, input[part]),
  ]);
  return Object.fromEntries(parts);
}

/** The end of a call, whatever becomes of its request. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Rejects when the signal is aborted. */
  readonly passed: Promise<never>;
  timeLeftMs(): number;
  clear(): void;
}

function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const endMs = monotonicNow() + timeoutMs;
  const ended = new AbortController();
  const leave = () => ended.abort(caller?.reason);
  const timer = setTimeout(() => ended.abort(new Error('no response in time')), timeoutMs);
  // A call that was abandoned does not keep its process.
  timer.unref();
  caller?.addEventListener('abort', leave);
  if (caller?.aborted) leave();
  const passed = new Promise<never>((_resolve, reject) => {
    if (ended.signal.aborted) reject(ended.signal.reason);
    ended.signal.addEventListener('abort', () => reject(ended.signal.reason));
  });
  return {
    signal: ended.signal,
    passed,
    timeLeftMs: () => Math.max(0, Math.floor(endMs - monotonicNow())),
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', leave);
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

/** A response of another shape is a fault over there: nothing that the caller sent was wrong. */
function parseResponse<Schema extends z.ZodType>(
  service: string,
  schema: Schema,
  { body }: RawResponse,
): z.output<Schema> {
  try {
    return schema.parse(body.length === 0 ? undefined : JSON.parse(body.toString()));
  } catch (cause) {
    throw new ServiceUnreachable(`${service} responded with what it should not`, { cause });
  }
}

const errorBody = z.object({ error: refusal });

function toError(
  service: string,
  response: PartsResponse,
  expected: readonly RefusalCode[] = [],
): Error {
  const refused = refusalIn(response);
  if (refused !== null && expected.includes(refused.code)) return new Refused(refused);
  if (response.status >= 500)
    return new ServiceUnreachable(`${service} responded with ${response.status}`);
  return new CallRefused(service, response.status, refused?.code ?? null);
}

/** Null where the body is not a refusal that is known here. */
function refusalIn({ parts }: PartsResponse): Refusal | null {
  try {
    return errorBody.parse(JSON.parse(joined(parts).toString())).error;
  } catch {
    return null;
  }
}

/** What a call resolves with; null where it is refused in a way that it names. */
export async function nullIfRefused<Body>(call: Promise<Body>): Promise<Body | null> {
  return await call.catch((error: unknown) => {
    if (error instanceof Refused) return null;
    throw error;
  });
}
