import { publicIdOf } from '@inventory/contracts/credential-secret';
import type { CredentialId } from '@inventory/contracts/ids';
import { newAccountId, newRefreshId } from '@inventory/testkit/builders';
import type { OperatorCall } from './operator-world.ts';

export interface Named {
  readonly account: string;
  readonly project: string;
  readonly serviceAccount: string;
  readonly credential: CredentialId;
}

/** A price list that takes effect in a distant future. */
export const secondPrices = {
  effective_at: '2100-01-01T00:00:00.000Z',
  refresh_reservation: 200,
  refresh_block: 2,
  refresh_block_assets: 2_000,
  refresh_diagnostic: 1,
  live_page: 2,
  current_page: 1,
};

/** A valid request of each operation of the operator API. */
export function rightOperatorCall(operationId: string, named: Named): OperatorCall {
  const account = `/accounts/${named.account}`;
  const project = `/projects/${named.project}`;
  const serviceAccount = `/service-accounts/${named.serviceAccount}`;
  const credential = `/credentials/${named.credential}`;
  const hooks = `${project}/webhook-endpoints`;
  const hook = `${hooks}/whe_${newRefreshId()}`;
  const watch = `${project}/watches/76561190000000000/730/2`;
  const headers = { 'idempotency-key': newRefreshId() };
  const policy = { network_policy: null };
  const calls: Readonly<Record<string, OperatorCall>> = {
    createAccount: { method: 'POST', path: '/accounts', body: { name: 'Trader' } },
    listAccounts: { path: '/accounts' },
    readAccount: { path: account },
    changeAccount: { method: 'PATCH', path: account, body: policy },
    createSandbox: { method: 'PUT', path: `${account}/sandbox` },
    createProject: { method: 'POST', path: `${account}/projects` },
    listProjects: { path: `${account}/projects` },
    readProject: { path: project },
    changeProject: { method: 'PATCH', path: project, body: policy },
    createServiceAccount: {
      method: 'POST',
      path: `${account}/service-accounts`,
      body: { name: 'Bots' },
    },
    listServiceAccounts: { path: `${account}/service-accounts` },
    readServiceAccount: { path: serviceAccount },
    changeServiceAccount: { method: 'PATCH', path: serviceAccount, body: policy },
    issueCredential: { method: 'POST', path: `${project}/credentials`, body: { scopes: ['*'] } },
    listCredentials: { path: `${project}/credentials` },
    findCredential: {
      method: 'POST',
      path: '/credentials/find',
      body: { public_id: publicIdOf(named.credential), secret_sha256: '0'.repeat(64) },
    },
    readCredential: { path: credential },
    rotateCredential: { method: 'POST', path: `${credential}/rotate` },
    revokeCredential: { method: 'POST', path: `${credential}/revoke` },
    changeCredential: { method: 'PATCH', path: credential, body: policy },
    topUp: { method: 'POST', path: `${account}/top-ups`, headers, body: { amount: 5 } },
    grantUnits: { method: 'POST', path: `${account}/unit-grants`, headers, body: { amount: 5 } },
    adjust: {
      method: 'POST',
      path: `${account}/adjustments`,
      headers,
      body: { amount: 5, reason: 'x' },
    },
    readBalance: { path: `${account}/balance` },
    listHolds: { path: `${account}/holds` },
    readStatement: { path: `${account}/statement` },
    readTerms: { path: `${account}/terms` },
    setFunding: { method: 'PUT', path: `${account}/funding`, headers, body: { mode: 'credits' } },
    setCredentialSpendCap: {
      method: 'PUT',
      path: `${credential}/spend-cap`,
      headers,
      body: { cap: 5 },
    },
    setSpendCap: { method: 'PUT', path: `${project}/spend-cap`, headers, body: { cap: 5 } },
    listPriceLists: { path: '/price-lists' },
    publishPriceList: { method: 'PUT', path: '/price-lists/2', body: secondPrices },
    listWatches: { path: `${project}/watches` },
    readWatch: { path: watch },
    pauseWatch: { method: 'POST', path: `${watch}/pause` },
    resumeWatch: { method: 'POST', path: `${watch}/resume` },
    listWebhookEndpoints: { path: hooks },
    readWebhookEndpoint: { path: hook },
    listWebhookDeliveries: { path: `${hook}/deliveries` },
    changeWebhookEndpoint: { method: 'PATCH', path: hook, body: { state: 'enabled' } },
    deleteWebhookEndpoint: { method: 'DELETE', path: hook },
    rotateWebhookSecret: { method: 'POST', path: `${hook}/rotate-secret` },
    testWebhookEndpoint: { method: 'POST', path: `${hook}/test` },
    redeliverWebhookEvents: {
      method: 'POST',
      path: `${hook}/redeliver`,
      body: { event_id: `evt_${newRefreshId()}` },
    },
    readAdmission: { path: '/admission' },
    switchAdmission: { method: 'PUT', path: '/admission', body: { operator_closed: false } },
    eraseInventory: { method: 'DELETE', path: '/inventories/76561198000000000/730/2' },
    verifyLedger: { method: 'POST', path: '/ledger/verify' },
    listQuarantinedAccounts: { path: '/ledger/quarantine' },
    listAudit: { path: '/audit' },
    liftQuarantine: { method: 'POST', path: `/ledger/quarantine/${newAccountId()}/lift` },
  };
  const call = calls[operationId];
  if (call === undefined) throw new Error(`how ${operationId} is called is not known`);
  return call;
}
