import { currentPage } from '@inventory/contracts/http/current';
import { pageReadMeta } from '@inventory/contracts/http/meta';
import { type RefreshRecord, refreshPath, refreshRecord } from '@inventory/contracts/http/refresh';
import { type Scope, scopeKey } from '@inventory/contracts/scope';
import { callJson } from './call-json.ts';

/** A refresh as one answer showed it; `retryAfterSeconds` is null once nothing is left to wait for. */
export interface SeenRefresh {
  readonly record: RefreshRecord;
  readonly retryAfterSeconds: number | null;
}

/** The little of the public API that the demo needs, as a customer would call it. */
export interface GatewayClient {
  requestRefresh(scope: Scope, maxCredits: number): Promise<SeenRefresh>;
  readRefresh(refreshId: string): Promise<SeenRefresh>;
  readCurrent(scope: Scope, cursor: string | null): Promise<CurrentPage>;
  /** Resolves when the key is accepted. */
  listRefreshes(projectId: string): Promise<void>;
}

export interface CurrentPage {
  readonly page: ReturnType<typeof currentPage.parse>;
  readonly meta: ReturnType<typeof pageReadMeta.parse>;
  readonly bytes: number;
}

export interface GatewayAccess {
  readonly url: string;
  readonly apiKey: string;
}

export function inventoryPath(scope: Scope): string {
  const [platformId, appId, contextId] = scopeKey(scope).split('/');
  return `/v2/platform/users/${platformId}/inventory/${appId}/${contextId}`;
}

/** Every answer is checked against the contract. */
export function createGatewayClient(
  { url, apiKey }: GatewayAccess,
  newKey: () => string,
): GatewayClient {
  const headers = { 'X-API-Key': apiKey };
  return {
    async requestRefresh(scope, maxCredits) {
      const answer = await callJson({
        method: 'POST',
        url: `${url}${inventoryPath(scope)}/refresh`,
        headers: { ...headers, 'Idempotency-Key': newKey() },
        body: { max_credits: maxCredits },
      });
      const { retryAfterSeconds } = answer;
      return { record: refreshRecord.parse(answer.body['data']), retryAfterSeconds };
    },
    async readRefresh(refreshId) {
      const answer = await callJson({
        method: 'GET',
        url: `${url}${refreshPath(refreshId)}`,
        headers,
      });
      const { retryAfterSeconds } = answer;
      return { record: refreshRecord.parse(answer.body['data']), retryAfterSeconds };
    },
    async readCurrent(scope, cursor) {
      const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const answer = await callJson({
        method: 'GET',
        url: `${url}${inventoryPath(scope)}/current${query}`,
        headers,
      });
      const { data, meta } = answer.body;
      return {
        page: currentPage.parse(data),
        meta: pageReadMeta.parse(meta),
        bytes: answer.bytes,
      };
    },
    async listRefreshes(projectId) {
      await callJson({
        method: 'GET',
        url: `${url}/v2/projects/${projectId}/inventory-refreshes?limit=1`,
        headers,
      });
    },
  };
}
