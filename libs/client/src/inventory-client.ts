import { type AccountCalls, createAccountCalls } from './account-calls.ts';
import { checkOptions } from './arguments.ts';
import { createBodyTransport } from './body-transport.ts';
import { createCallApi } from './call-api.ts';
import { type ChangesCalls, createChangesCalls } from './changes-calls.ts';
import { type ClientEnvironment, realEnvironment } from './client-environment.ts';
import { createEventCalls, type EventCalls } from './event-calls.ts';
import { createExportCalls, type ExportCalls } from './export-calls.ts';
import { createPageCalls, type PageCalls } from './page-calls.ts';
import { createRefreshCalls, type RefreshCalls } from './refresh-calls.ts';
import { createStreamTransport } from './stream-frames.ts';
import { createTransport, type Fetch } from './transport.ts';
import { createWatchCalls, type WatchCalls } from './watch-calls.ts';

export interface InventoryClientOptions {
  readonly baseUrl: string;
  /** Address of the event stream where it has an origin of its own; `baseUrl` by default. */
  readonly eventsUrl?: string | undefined;
  /** Secret of a Credential. It is in nothing that the client returns or throws. */
  readonly apiKey: string;
  /** Another HTTP client, for example behind a proxy; the runtime's `fetch` by default. */
  readonly fetch?: Fetch | undefined;
  /** Timeout of one attempt; 45 s by default. */
  readonly tryTimeoutMs?: number | undefined;
}

export interface InventoryClient
  extends RefreshCalls,
    PageCalls,
    ChangesCalls,
    ExportCalls,
    WatchCalls,
    EventCalls,
    AccountCalls {}

/** Longer than the service takes for any response. */
const tryTimeoutDefaultMs = 45_000;

/**
 * The client of one Credential. It has no connection of its own and needs no closing. Calls reject
 * with the classes of `errors`, with the reason of an aborted signal, or with a TypeError for invalid
 * arguments.
 */
export function createInventoryClient(
  options: InventoryClientOptions,
  environment: ClientEnvironment = realEnvironment,
): InventoryClient {
  checkOptions(options, ['baseUrl', 'apiKey']);
  const { baseUrl, apiKey, fetch: ownFetch, tryTimeoutMs = tryTimeoutDefaultMs } = options;
  const { eventsUrl = baseUrl } = options;
  const { startTimer } = environment;
  const transport = { baseUrl, apiKey, fetch: ownFetch ?? fetch, startTimer };
  const send = createTransport(transport);
  const openStream = createStreamTransport({ ...transport, baseUrl: eventsUrl });
  const callApi = createCallApi(send, tryTimeoutMs, environment);
  return {
    ...createRefreshCalls(callApi, environment),
    ...createPageCalls(callApi, environment),
    ...createChangesCalls(callApi, environment),
    ...createExportCalls(createBodyTransport(transport), environment),
    ...createEventCalls(callApi, openStream, environment),
    ...createWatchCalls(callApi),
    ...createAccountCalls(callApi),
  };
}
