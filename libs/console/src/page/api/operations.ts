import type { Api, ApiCall } from './call-api.ts';
import type {
  Account,
  Changes,
  Delivery,
  IssuedKey,
  ListedEndpoint,
  ListedKey,
  NewEndpoint,
  Page,
  Permission,
  PlacedEvent,
  Prices,
  Project,
  Refresh,
  Scope,
  Statement,
  Status,
  Summary,
  Usage,
  Watch,
  WatchRun,
} from './wire-types.ts';

type Query = NonNullable<ApiCall['query']>;
interface WantedWatch {
  readonly every_seconds: number;
  readonly max_credits_per_day: number | null;
  /** Nothing is stored; the response has the cost. */
  readonly dry_run: boolean;
}

const encoded = encodeURIComponent;
const scopePath = ({ platform_id, app_id, context_id }: Scope, between = '/') =>
  `${encoded(platform_id)}${between}${app_id}/${context_id}`;
export const pathOfInventory = (scope: Scope) =>
  `/v2/platform/users/${scopePath(scope, '/inventory/')}`;
const refreshPath = (id: string) => `/v2/platform/inventory-refreshes/${encoded(id)}`;
const projectPath = (id: string) => `/v2/projects/${encoded(id)}`;
export const streamPath = (projectId: string) => `${projectPath(projectId)}/events/stream`;

/** How long a secret that was replaced stays valid. */
const overlapSeconds = 3_600;
/** What a response may take beyond the wait that it is asked for. */
const afterWaitMs = 15_000;

export type Operations = ReturnType<typeof createOperations>;

/** The operations that the console uses, for one Project; typed by the contracts. */
export function createOperations(api: Api, projectId: string) {
  const calls = callsOf(api);
  return {
    ...accountOperations(calls, projectPath(projectId)),
    ...inventoryOperations(calls, projectPath(projectId)),
    ...watchOperations(calls, projectPath(projectId)),
    ...webhookOperations(calls, `${projectPath(projectId)}/webhook-endpoints`),
  };
}

function callsOf(api: Api) {
  return {
    get: <Data>(path: string, query: Query = {}, more: Partial<ApiCall> | AbortSignal = {}) =>
      api.call<Data>({
        path,
        query,
        ...(more instanceof AbortSignal ? { signal: more } : more),
      }),
    /** With a key a repetition is not done, or charged, twice. */
    send: <Data>(method: ApiCall['method'] & string, path: string, body?: object, key?: string) =>
      api.call<Data>({
        method,
        path,
        ...(body && { body }),
        ...(key !== undefined && { idempotencyKey: key }),
      }),
  };
}
type Calls = ReturnType<typeof callsOf>;

function accountOperations({ get, send }: Calls, project: string) {
  const credential = (id: string) => `${project}/credentials/${encoded(id)}`;
  return {
    account: (signal?: AbortSignal) => get<Account>('/v2/account', {}, signal),
    project: (signal?: AbortSignal) => get<Project>(project, {}, signal),
    prices: (signal?: AbortSignal) => get<Prices>('/v2/prices', {}, signal),
    status: (signal?: AbortSignal) => get<Status>('/v2/status', {}, signal),
    usage: (query: Query, signal?: AbortSignal) => get<Usage>('/v2/account/usage', query, signal),
    statement: (query: Query, signal?: AbortSignal) =>
      get<Statement>('/v2/account/statement', query, signal),
    credentials: (signal?: AbortSignal) =>
      get<Page<ListedKey>>(`${project}/credentials`, { limit: 100 }, signal),
    issueCredential: (name: string, scopes: readonly Permission[], key: string) =>
      send<IssuedKey>('POST', `${project}/credentials`, { name, scopes }, key),
    rotateCredential: (id: string, key: string) =>
      send<IssuedKey>('POST', `${credential(id)}/rotate`, overlap, key),
    revokeCredential: (id: string) => send('DELETE', credential(id)),
  };
}

const overlap = { overlap_seconds: overlapSeconds };

function inventoryOperations({ get, send }: Calls, project: string) {
  return {
    summary: (scope: Scope) => get<Summary>(`${pathOfInventory(scope)}/summary`),
    requestRefresh: (scope: Scope, maxCredits: number, key: string) =>
      send<Refresh>('POST', `${pathOfInventory(scope)}/refresh`, { max_credits: maxCredits }, key),
    /** The response arrives when the refresh is terminal, or after the wait. */
    awaitRefresh: (id: string, wait: number, signal = new AbortController().signal) => {
      const more = { timeoutMs: wait * 1_000 + afterWaitMs, signal };
      return get<Refresh>(refreshPath(id), { wait }, more);
    },
    cancelRefresh: (id: string) => send<Refresh>('POST', `${refreshPath(id)}/cancel`),
    refreshes: (query: Query, signal?: AbortSignal) =>
      get<Page<Refresh>>(`${project}/inventory-refreshes`, query, signal),
    changes: (scope: Scope, query: Query, idempotencyKey: string) =>
      get<Changes>(`${pathOfInventory(scope)}/changes`, query, { idempotencyKey }),
    events: (after: string | undefined, signal: AbortSignal) =>
      get<Page<PlacedEvent>>(`${project}/events`, { after, limit: 100 }, signal),
  };
}

function watchOperations({ get, send }: Calls, project: string) {
  const watch = (scope: Scope) => `${project}/watches/${scopePath(scope)}`;
  return {
    watches: (cursor: string | undefined, signal?: AbortSignal) =>
      get<Page<Watch>>(`${project}/watches`, { limit: 50, cursor }, signal),
    putWatch: (scope: Scope, body: WantedWatch) => send<Watch>('PUT', watch(scope), body),
    deleteWatch: (scope: Scope) => send('DELETE', watch(scope)),
    runs: (scope: Scope, signal?: AbortSignal) =>
      get<Page<WatchRun>>(`${watch(scope)}/runs`, { limit: 40 }, signal),
  };
}

function webhookOperations({ get, send }: Calls, endpoints: string) {
  const endpoint = (id: string) => `${endpoints}/${encoded(id)}`;
  return {
    endpoints: (signal?: AbortSignal) =>
      get<Page<ListedEndpoint>>(endpoints, { limit: 100 }, signal),
    createEndpoint: (url: string, types: readonly string[], key: string) =>
      send<NewEndpoint>('POST', endpoints, { url, types }, key),
    changeEndpoint: (id: string, state: ListedEndpoint['state']) =>
      send<ListedEndpoint>('PATCH', endpoint(id), { state }),
    deleteEndpoint: (id: string) => send('DELETE', endpoint(id)),
    rotateSecret: (id: string, key: string) =>
      send<NewEndpoint>('POST', `${endpoint(id)}/rotate-secret`, overlap, key),
    testEndpoint: (id: string) => send('POST', `${endpoint(id)}/test`),
    deliveries: (id: string, signal?: AbortSignal) =>
      get<Page<Delivery>>(`${endpoint(id)}/deliveries`, { limit: 20 }, signal),
    redeliver: (id: string, eventId: string) =>
      send('POST', `${endpoint(id)}/redeliver`, { event_id: eventId }),
  };
}
