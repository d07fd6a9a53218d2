import type { ErrorBody, Meta } from './wire-types.ts';

/** Time, chance and the network, as the browser has them. */
export interface BrowserEnvironment {
  readonly fetch: typeof fetch;
  readonly nowMs: () => number;
  /** From 0 on and below 1. */
  readonly chance: () => number;
  readonly newKey: () => string;
  /** Resolves after the delay, or at once when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ApiCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** Repeated with it, a call is neither done nor charged twice. */
  readonly idempotencyKey?: string;
  readonly accept?: string;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export interface ApiResult<Data> {
  readonly data: Data;
  readonly meta: Meta;
  readonly retryAfterSeconds: number | null;
}

/** Why a call has no result: the service refused it, or did not respond. */
export type Failure =
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly requestId: string | null;
      readonly detail: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds: number | null;
    }
  | { readonly kind: 'unreachable' | 'timeout' | 'cut' | 'digest' };

export class CallFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.kind === 'refused' ? failure.message : failure.kind);
    this.failure = failure;
  }
}

export type Api = ReturnType<typeof createApi>;

const timeoutDefaultMs = 20_000;

/** The public API for one key, which is in the header `X-API-Key` and nowhere else. */
export function createApi(apiKey: string, environment: BrowserEnvironment) {
  /** What is read of a success. The timeout is of the whole, so that nothing waits for ever. */
  async function read<Read>(
    { timeoutMs = timeoutDefaultMs, ...call }: ApiCall,
    readBody: (response: Response) => Promise<Read>,
  ): Promise<Read> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const signals = [timeout.signal, ...(call.signal ? [call.signal] : [])];
    let response: Response | undefined;
    try {
      response = await environment.fetch(addressOf(call), {
        ...requestOf(call, apiKey),
        signal: AbortSignal.any(signals),
      });
      if (!response.ok) throw new CallFailed(await refusalOf(response));
      return await readBody(response);
    } catch (error) {
      call.signal?.throwIfAborted();
      if (error instanceof CallFailed) throw error;
      const cut = response === undefined ? 'unreachable' : 'cut';
      throw new CallFailed({ kind: timeout.signal.aborted ? 'timeout' : cut });
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    environment,
    read,
    /** The response, once it is a success. Its body is read, and watched, by the caller. */
    open: (call: ApiCall) => read(call, async (response) => response),
    /** The data and meta of a response in JSON. */
    call: <Data>(call: ApiCall): Promise<ApiResult<Data>> =>
      read(call, async (response) => {
        const { data, meta } = (await response.json()) as { data: Data; meta: Meta };
        return { data, meta, retryAfterSeconds: retryAfterOf(response) };
      }),
  };
}

function addressOf({ path, query = {} }: ApiCall): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given}`;
}

function requestOf(call: ApiCall, apiKey: string): RequestInit {
  const { method = 'GET', body, idempotencyKey, accept = 'application/json', lastEventId } = call;
  return {
    method,
    headers: {
      'X-API-Key': apiKey,
      Accept: accept,
      ...(body && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
    ...(body && { body: JSON.stringify(body) }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
  };
}

function retryAfterOf({ headers }: Response): number | null {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
}

/** A proxy in between may refuse with a body that is not of the service. */
async function refusalOf(response: Response): Promise<Failure> {
  const { status } = response;
  const { error } = (await response.json().catch(() => ({}))) as Partial<ErrorBody>;
  return {
    kind: 'refused',
    status,
    code: error?.code ?? `http_${status}`,
    message: error?.message ?? 'The response is not one of the service.',
    requestId: error?.request_id ?? response.headers.get('X-Request-ID'),
    detail: error?.detail ?? {},
    retryAfterSeconds: retryAfterOf(response),
  };
}
