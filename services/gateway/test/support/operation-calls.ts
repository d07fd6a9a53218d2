import { watchLink } from '@inventory/contracts/http/watches';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { permissions } from '@inventory/contracts/vocabulary';
import { newCredentialId, newRefreshId } from '@inventory/testkit/builders';
import type { Principal } from '../../src/tenancy/principal.domain.ts';
import type { ApiCall } from './api-call.ts';
import {
  changesPathOf,
  currentPathOf,
  livePathOf,
  refreshPathOf,
  statusPathOf,
  summaryPathOf,
  v1AliasPathOf,
  v1PathOf,
} from './paths.ts';

export const batchPath = '/v2/platform/inventory-refreshes/batch';

/** May do everything, and is asked for nothing but its key. */
export const mayAll: Partial<Principal> = { permissions: [...permissions], eventsEnabled: true };

export function batchItem(scope: InventoryKey, key = 'k', maxCredits = 125) {
  return { ...scope, max_credits: maxCredits, idempotency_key: key };
}

/** A request of each operation that is right in itself. */
export function rightCall(
  operationId: string,
  scope: InventoryKey,
  { projectId }: Pick<Principal, 'projectId'>,
): ApiCall {
  const sandbox = '/v2/sandbox';
  const inventory = `${scope.platform_id}/${scope.app_id}/${scope.context_id}`;
  const refreshBody = { max_credits: 125 };
  const hooks = `/v2/projects/${projectId}/webhook-endpoints`;
  const hook = `${hooks}/whe_${newRefreshId()}`;
  const newHook = { url: 'https://example.com/hook', types: ['inventory.refresh.completed'] };
  const disable = { state: 'disabled' };
  const watches = `/v2/projects/${projectId}/watches`;
  const watch = watchLink(projectId, scope);
  const watched = { every_seconds: 3_600 };
  const credentials = `/v2/projects/${projectId}/credentials`;
  const credential = `${credentials}/${newCredentialId()}`;
  const calls: Readonly<Record<string, ApiCall>> = {
    requestRefresh: { method: 'POST', path: refreshPathOf(scope), body: refreshBody },
    requestRefreshes: { method: 'POST', path: batchPath, body: { items: [batchItem(scope)] } },
    readRefresh: { path: statusPathOf(newRefreshId()) },
    cancelRefresh: { method: 'POST', path: `${statusPathOf(newRefreshId())}/cancel` },
    listRefreshes: { path: `/v2/projects/${projectId}/inventory-refreshes` },
    readSummary: { path: summaryPathOf(scope) },
    readCurrent: { path: currentPathOf(scope) },
    readChanges: { path: changesPathOf(scope, `since=invrev_${newRefreshId()}`) },
    exportCurrent: { path: `${currentPathOf(scope)}/export` },
    readLivePage: { path: livePathOf(scope) },
    readV1Page: { path: v1PathOf(scope) },
    readV1PageAlias: { path: v1AliasPathOf(scope) },
    streamEvents: {
      path: `/v2/projects/${projectId}/events/stream`,
      headers: { accept: 'text/event-stream' },
    },
    listEvents: { path: `/v2/projects/${projectId}/events` },
    createWebhookEndpoint: { method: 'POST', path: hooks, body: newHook },
    listWebhookEndpoints: { path: hooks },
    readWebhookEndpoint: { path: hook },
    changeWebhookEndpoint: { method: 'PATCH', path: hook, body: disable },
    deleteWebhookEndpoint: { method: 'DELETE', path: hook },
    rotateWebhookSecret: { method: 'POST', path: `${hook}/rotate-secret`, body: {} },
    testWebhookEndpoint: { method: 'POST', path: `${hook}/test` },
    listWebhookDeliveries: { path: `${hook}/deliveries` },
    redeliverWebhookEvents: {
      method: 'POST',
      path: `${hook}/redeliver`,
      body: { event_id: `evt_${newRefreshId()}` },
    },
    putWatch: { method: 'PUT', path: watch, body: watched },
    putWatches: {
      method: 'POST',
      path: `${watches}/batch`,
      body: { items: [{ ...scope, ...watched }] },
    },
    readWatch: { path: watch },
    listWatches: { path: watches },
    listWatchRuns: { path: `${watch}/runs` },
    deleteWatch: { method: 'DELETE', path: watch },
    testWatches: { method: 'POST', path: `${watches}/test` },
    readAccount: { path: '/v2/account' },
    readProject: { path: `/v2/projects/${projectId}` },
    readStatement: { path: '/v2/account/statement' },
    readUsage: { path: '/v2/account/usage' },
    setBalanceAlert: { method: 'PUT', path: '/v2/account/balance-alert', body: { threshold: 5 } },
    issueCredential: { method: 'POST', path: credentials, body: { scopes: ['*'] } },
    listCredentials: { path: credentials },
    rotateCredential: { method: 'POST', path: `${credential}/rotate`, body: {} },
    setCredentialSpendCap: { method: 'PUT', path: `${credential}/spend-cap`, body: { cap: 5 } },
    revokeCredential: { method: 'DELETE', path: credential },
    readPrices: { path: '/v2/prices' },
    readStatus: { path: '/v2/status' },
    runWatchNow: { method: 'POST', path: `${sandbox}/watches/${inventory}/run` },
    expireCursor: { method: 'POST', path: `${sandbox}/expired-cursor` },
    triggerEvent: {
      method: 'POST',
      path: `${sandbox}/events`,
      body: { type: 'inventory.watch.paused' },
    },
    setSandboxSpendCap: { method: 'POST', path: `${sandbox}/spend-cap`, body: { cap: 0 } },
    failWebhookEndpoint: {
      method: 'POST',
      path: `${sandbox}/webhook-endpoints/whe_${newRefreshId()}/fail`,
    },
    ageInventory: {
      method: 'POST',
      path: `${sandbox}/inventories/${inventory}/age`,
      body: { seconds: 60 },
    },
  };
  const call = calls[operationId];
  if (call === undefined) throw new Error(`how ${operationId} is called is not known`);
  return call;
}

/** The same operation with a value that it cannot take. */
export function wrongCall(operationId: string, right: ApiCall): ApiCall {
  const { path } = right;
  switch (operationId) {
    case 'requestRefreshes':
      return { ...right, body: { items: [] } };
    case 'setBalanceAlert':
      return { ...right, body: { threshold: 0 } };
    case 'readStatement':
      return { ...right, path: `${path}?limit=0` };
    case 'triggerEvent':
      return { ...right, body: { type: 'other' } };
    case 'setSandboxSpendCap':
      return { ...right, body: { cap: -1 } };
    case 'expireCursor':
    case 'readAccount':
    case 'readPrices':
    case 'readStatus':
      return { ...right, path: `${path}?page=2` };
    case 'readUsage':
      return { ...right, path: `${path}?from=yesterday` };
    default:
      // Every other one names a Project, a refresh or an inventory in its path.
      return { ...right, path: path.replace(/prj_[^/]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d{17}/, 'x') };
  }
}
