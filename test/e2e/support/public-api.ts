import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { refreshPath, refreshRecord } from '@inventory/contracts/http/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { expectDocumented } from '../../support/public-contract.ts';

export interface ApiRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look wherever they like.
  readonly json: any;
  /** From the first byte sent to the last byte received. */
  readonly tookMs: number;
}

export type RefreshRecord = ReturnType<typeof refreshRecord.parse>;

export interface RefreshOptions {
  readonly key?: string;
  readonly language?: string;
  readonly maxCredits?: number;
}

/** The public API as one Credential sees it. */
export interface PublicApi {
  call(wanted: ApiRequest): Promise<ApiAnswer>;
  refresh(scope: InventoryKey, options?: RefreshOptions): Promise<ApiAnswer>;
  /** A refresh that has to be accepted; its id. */
  accepted(scope: InventoryKey, options?: RefreshOptions): Promise<string>;
  status(refreshId: string): Promise<ApiAnswer>;
  /** The record, which has to keep the contract. */
  record(refreshId: string): Promise<RefreshRecord>;
  cancel(refreshId: string): Promise<ApiAnswer>;
  list(projectId: string, query?: string): Promise<ApiAnswer>;
  current(scope: InventoryKey, query?: string): Promise<ApiAnswer>;
  /** The same Credential at another gateway. */
  at(gatewayUrl: string): PublicApi;
}

/** Ends a run that hangs. */
const hangMs = 300_000;
const agent = new Agent({ keepAlive: true, maxSockets: 400 });

export function inventoryPath(scope: InventoryKey): string {
  return `/v2/platform/users/${scope.platform_id}/inventory/${scope.app_id}/${scope.context_id}`;
}

export function createPublicApi(gatewayUrl: string, apiKey: string | null): PublicApi {
  const call = (wanted: ApiRequest) => send(gatewayUrl, apiKey, wanted);
  const refresh = (scope: InventoryKey, { key, language, maxCredits = 125 }: RefreshOptions = {}) =>
    call({
      method: 'POST',
      path: `${inventoryPath(scope)}/refresh`,
      body: { max_credits: maxCredits, ...(language ? { language } : {}) },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const status = (refreshId: string) => call({ path: refreshPath(refreshId) });
  return {
    call,
    refresh,
    async accepted(scope, options) {
      const answer = await refresh(scope, options);
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${answer.text}`);
      return refreshRecord.parse(answer.json.data).refresh_id;
    },
    status,
    async record(refreshId) {
      const answer = await status(refreshId);
      if (answer.status !== 200) throw new Error(`not read: ${answer.status} ${answer.text}`);
      return refreshRecord.parse(answer.json.data);
    },
    cancel: (refreshId) => call({ method: 'POST', path: `${refreshPath(refreshId)}/cancel` }),
    list: (projectId, query = '') =>
      call({ path: `/v2/projects/${projectId}/inventory-refreshes${query}` }),
    current: (scope, query = '') => call({ path: `${inventoryPath(scope)}/current${query}` }),
    at: (otherUrl) => createPublicApi(otherUrl, apiKey),
  };
}

/** Sockets that stay open keep the test run from ending. */
export function closeCalls(): void {
  agent.destroy();
}

function send(baseUrl: string, apiKey: string | null, wanted: ApiRequest): Promise<ApiAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const body = wanted.body === undefined ? undefined : JSON.stringify(wanted.body);
  const startMs = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({
      agent,
      hostname,
      port,
      method: wanted.method ?? 'GET',
      path: wanted.path,
      headers: {
        ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...wanted.headers,
      },
      timeout: hangMs,
    });
    sent.on('timeout', () => sent.destroy(new Error(`${wanted.path}: no answer in ${hangMs} ms`)));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        try {
          expectDocumented({
            method: wanted.method ?? 'GET',
            path: wanted.path,
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'],
            text,
          });
        } catch (error) {
          reject(error);
          return;
        }
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get json() {
            return JSON.parse(text);
          },
          tookMs: performance.now() - startMs,
        });
      });
    });
    sent.end(body);
  });
}
