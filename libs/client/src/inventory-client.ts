import { type AccountCalls, createAccountCalls } from './account-calls.ts';
import { createAsk } from './ask.ts';
import { createCaller } from './caller.ts';
import { type ClientEnvironment, realEnvironment } from './client-environment.ts';
import { createEventCalls, type EventCalls } from './event-calls.ts';
import { createPageCalls, type PageCalls } from './page-calls.ts';
import { createRefreshCalls, type RefreshCalls } from './refresh-calls.ts';
import { createStreamTransport } from './stream-transport.ts';
import { createTransport, type Fetch } from './transport.ts';

export interface InventoryClientOptions {
  readonly baseUrl: string;
  /** Secret of a Credential. Shown by nothing that the client returns or throws. */
  readonly apiKey: string;
  /** Another HTTP client, one behind a proxy for example; by default the runtime's own. */
  readonly fetch?: Fetch | undefined;
  /** For one try of a call; 45 s by default. */
  readonly tryTimeoutMs?: number | undefined;
}

export interface InventoryClient extends RefreshCalls, PageCalls, EventCalls, AccountCalls {}

/** Longer than the service lets any answer take. */
const tryTimeoutDefaultMs = 45_000;

/**
 * The client of one Credential. It holds no connection of its own and needs no closing. Calls
 * reject with the classes of `errors`, with the reason of an aborted signal, or with a TypeError
 * for arguments that the service could not understand.
 */
export function createInventoryClient(
  options: InventoryClientOptions,
  environment: ClientEnvironment = realEnvironment,
): InventoryClient {
  const { baseUrl, apiKey, fetch: ownFetch, tryTimeoutMs = tryTimeoutDefaultMs } = options;
  const { startTimer } = environment;
  const transport = { baseUrl, apiKey, fetch: ownFetch ?? fetch, startTimer };
  const send = createTransport(transport);
  const ask = createAsk(createCaller({ send, tryTimeoutMs, environment }), environment);
  return {
    ...createRefreshCalls(ask, environment),
    ...createPageCalls(ask, environment),
    ...createEventCalls(ask, createStreamTransport(transport), environment),
    ...createAccountCalls(ask),
  };
}
