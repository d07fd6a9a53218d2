import { type AccountId, idPrefixes, type ProjectId } from '@inventory/contracts/ids';
import { uuidV8 } from '@inventory/runtime/identifiers';
import type { CustomerAccount, Project } from './tenancy.domain.ts';

/** Lower than those of a live account: a sandbox shows limits, and bears little load. */
const requestsPerMinute = 60;

const derived = (id: AccountId, name: string) => uuidV8(id.slice(idPrefixes.account.length), name);

/** The id of an account's sandbox: derived, so that an account has one, however often it is created. */
export function sandboxTwinId(accountId: AccountId): AccountId {
  return `${idPrefixes.account}${derived(accountId, 'sandbox')}`;
}

/** The sandbox of an account, as it is created. */
export function sandboxTwinOf(
  { accountId: parentAccountId, name, state, networkPolicy }: CustomerAccount,
  nowMs: number,
): CustomerAccount {
  return {
    accountId: sandboxTwinId(parentAccountId),
    parentAccountId,
    name: `${name} (sandbox)`,
    state,
    networkPolicy,
    rateLimitPerMinute: requestsPerMinute,
    defaultNetworkPolicy: null,
    trafficLimitPerMinute: requestsPerMinute,
    hasServiceAccounts: false,
    eventsEnabled: true,
    captureEnabled: true,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
}

/** The Project that a sandbox begins with. */
export function firstProjectOf({ accountId }: CustomerAccount, nowMs: number): Project {
  const projectId: ProjectId = `${idPrefixes.project}${derived(accountId, 'first project')}`;
  const made = { createdAtMs: nowMs, changedAtMs: nowMs };
  return { projectId, accountId, name: 'Sandbox', state: 'active', networkPolicy: null, ...made };
}
