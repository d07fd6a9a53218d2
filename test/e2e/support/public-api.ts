import { refreshLink, refreshRecord } from '@inventory/contracts/http/refresh';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { asSent } from '@inventory/testkit/as-sent';
import type { z } from 'zod';
import type { ApiCall, ApiResponse } from '../../../services/gateway/test/support/api-call.ts';
import { callDocumented } from '../../../services/gateway/test/support/call-documented.ts';

export type RefreshRecord = z.input<typeof refreshRecord>;

export interface RefreshOptions {
  readonly key?: string;
  readonly language?: string;
  readonly maxCredits?: number;
}

/** The public API as one Credential sees it. */
export interface PublicApi {
  call(wanted: ApiCall): Promise<ApiResponse>;
  refresh(scope: InventoryKey, options?: RefreshOptions): Promise<ApiResponse>;
  /** A refresh that has to be accepted; its id. */
  accepted(scope: InventoryKey, options?: RefreshOptions): Promise<string>;
  status(refreshId: string): Promise<ApiResponse>;
  /** The record, which has to keep the contract. */
  record(refreshId: string): Promise<RefreshRecord>;
  cancel(refreshId: string): Promise<ApiResponse>;
  list(projectId: string, query?: string): Promise<ApiResponse>;
  current(scope: InventoryKey, query?: string): Promise<ApiResponse>;
  /** The same Credential at another gateway. */
  at(gatewayUrl: string): PublicApi;
}

export function inventoryPath(scope: InventoryKey): string {
  return `/v2/platform/users/${scope.platform_id}/inventory/${scope.app_id}/${scope.context_id}`;
}

export function createPublicApi(gatewayUrl: string, apiKey: string | null): PublicApi {
  const call = (wanted: ApiCall) =>
    callDocumented(gatewayUrl, { key: apiKey ?? undefined, ...wanted });
  const refresh = (scope: InventoryKey, { key, language, maxCredits = 125 }: RefreshOptions = {}) =>
    call({
      method: 'POST',
      path: `${inventoryPath(scope)}/refresh`,
      body: { max_credits: maxCredits, ...(language ? { language } : {}) },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const status = (refreshId: string) => call({ path: refreshLink(refreshId) });
  return {
    call,
    refresh,
    async accepted(scope, options) {
      const response = await refresh(scope, options);
      if (response.status !== 202)
        throw new Error(`not accepted: ${response.status} ${response.text}`);
      return asSent(refreshRecord, response.json.data).refresh_id;
    },
    status,
    async record(refreshId) {
      const response = await status(refreshId);
      if (response.status !== 200) throw new Error(`not read: ${response.status} ${response.text}`);
      return asSent(refreshRecord, response.json.data);
    },
    cancel: (refreshId) => call({ method: 'POST', path: `${refreshLink(refreshId)}/cancel` }),
    list: (projectId, query = '') =>
      call({ path: `/v2/projects/${projectId}/inventory-refreshes${query}` }),
    current: (scope, query = '') => call({ path: `${inventoryPath(scope)}/current${query}` }),
    at: (otherUrl) => createPublicApi(otherUrl, apiKey),
  };
}
