import createClient from 'openapi-fetch';
import { type components, operationAddresses, type paths } from './generated/operator-api.ts';
import type { OperationId, OperationInput, OperationResponse } from './operation-types.ts';

/** Body of a refusal. */
export type OperatorError = components['schemas']['Error']['error'];

export interface OperatorAccess {
  readonly url: string;
  readonly token: string;
  /** Longest wait for a response; 30 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** Sends the requests; the global `fetch` when absent. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface OperatorResponse<Data> {
  readonly status: number;
  readonly headers: Headers;
  /** The body as sent. */
  readonly text: string;
  /** The body of a success in JSON. */
  readonly data: Data | undefined;
  /** The body of a refusal; undefined when another server responded. */
  readonly error: OperatorError | undefined;
}

/** Calls of the operator API, typed by its OpenAPI document. */
export interface OperatorClient {
  /** Sends one call. Rejects with {@link OperatorUnreachable} without a response. */
  send<Id extends OperationId>(
    operation: Id,
    input: OperationInput<Id>,
  ): Promise<OperatorResponse<OperationResponse<Id>>>;
  /** The body of a success. Rejects with {@link OperatorRefused} when there is another response. */
  call<Id extends OperationId>(
    operation: Id,
    input: OperationInput<Id>,
  ): Promise<OperationResponse<Id>>;
}

/** The operator API did not respond. */
export class OperatorUnreachable extends Error {
  override name = 'OperatorUnreachable';
}

/** The operator API, or another server at its address, did not respond with a success. */
export class OperatorRefused extends Error {
  override name = 'OperatorRefused';
  readonly status: number;
  readonly code: string | undefined;

  constructor(operation: string, { status, error }: OperatorResponse<unknown>) {
    super(`${operation} responded with ${status}: ${error?.code}, ${error?.message}`);
    this.status = status;
    this.code = error?.code;
  }
}

const timeoutMsDefault = 30_000;

/** Redirects are not followed: the token is sent to this address only. */
export function createOperatorClient(access: OperatorAccess): OperatorClient {
  const { url, token, timeoutMs = timeoutMsDefault, fetch: sendRequest = fetch } = access;
  const client = createClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
    async fetch(request) {
      try {
        return await sendRequest(new Request(request, { signal: AbortSignal.timeout(timeoutMs) }));
      } catch (cause) {
        throw new OperatorUnreachable(`${new URL(url).origin} does not respond`, { cause });
      }
    },
  });

  async function send<Id extends OperationId>(operation: Id, input: OperationInput<Id>) {
    const { method, template, ...fieldNames } = operationAddresses[operation];
    const init = requestOf(fieldNames, input);
    // The generated addresses and types are of one document; what fits here is in OperationInput.
    const { data, error, response } = await client.request(
      method,
      template as never,
      init as never,
    );
    return responseOf<OperationResponse<Id>>(response, data ?? error);
  }

  return {
    send,
    async call(operation, input) {
      const response = await send(operation, input);
      if (response.data === undefined) throw new OperatorRefused(operation, response);
      return response.data;
    },
  };
}

type FieldNames = Readonly<Record<'path' | 'query' | 'header', readonly string[]>>;

/** Puts each field where its operation has it; what is named nowhere is in the body. */
function requestOf({ path, query, header }: FieldNames, input: object) {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const pick = (names: readonly string[]) =>
    Object.fromEntries(fields.filter(([name]) => names.includes(name)));
  const elsewhere = [...path, ...query, ...header];
  const body = fields.filter(([name]) => !elsewhere.includes(name));
  return {
    params: { path: pick(path), query: pick(query), header: pick(header) },
    parseAs: 'text',
    ...(body.length === 0 ? {} : { body: Object.fromEntries(body) }),
  };
}

function responseOf<Data>(
  { status, headers, ok }: Response,
  body: unknown,
): OperatorResponse<Data> {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null);
  const value = parseObject(text);
  const error = value?.['error'] as Partial<OperatorError> | undefined;
  return {
    status,
    headers,
    text,
    data: ok ? (value as Data | undefined) : undefined,
    error: !ok && typeof error?.code === 'string' ? (error as OperatorError) : undefined,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
