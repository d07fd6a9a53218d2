import { isoTime } from '@inventory/runtime/clock';
import {
  type Account,
  defaultServiceAccountId,
  type Project,
  type ServiceAccount,
} from '../tenancy/tenancy.domain.ts';

/** What a change may set, by its name on the wire. */
const changedFields = {
  state: 'state',
  network_policy: 'networkPolicy',
  rate_limit_per_minute: 'requestsPerMinute',
  traffic_limit_per_minute: 'trafficLimitPerMinute',
  events_enabled: 'eventsEnabled',
  capture_enabled: 'captureEnabled',
  scopes: 'permissions',
  expires_at: 'expiresAtMs',
} as const;
type ChangedField = keyof typeof changedFields;

/** The fields of a change by their names in the domain; absent ones stay absent. */
export function fromWireChange<Change extends { readonly [Name in ChangedField]?: unknown }>(
  change: Change,
) {
  const fields = Object.entries(change);
  return Object.fromEntries(
    fields.map(([name, value]) => [changedFields[name as ChangedField], value]),
  ) as { [Name in keyof Change as (typeof changedFields)[Name & ChangedField]]: Change[Name] };
}

export function toWireAccount(account: Account) {
  return {
    account_id: account.id,
    name: account.name,
    state: account.state,
    network_policy: account.networkPolicy,
    rate_limit_per_minute: account.requestsPerMinute,
    traffic_limit_per_minute: account.trafficLimitPerMinute,
    default_service_account_id: defaultServiceAccountId(account.id),
    events_enabled: account.eventsEnabled,
    capture_enabled: account.captureEnabled,
    created_at: isoTime(account.createdAtMs),
    changed_at: isoTime(account.changedAtMs),
  };
}

export function toWireProject(project: Project) {
  return {
    project_id: project.id,
    account_id: project.accountId,
    name: project.name,
    state: project.state,
    network_policy: project.networkPolicy,
    created_at: isoTime(project.createdAtMs),
    changed_at: isoTime(project.changedAtMs),
  };
}

export function toWireServiceAccount(serviceAccount: ServiceAccount) {
  const { id, accountId } = serviceAccount;
  return {
    service_account_id: id,
    account_id: accountId,
    name: serviceAccount.name,
    is_default: id === defaultServiceAccountId(accountId),
    network_policy: serviceAccount.networkPolicy,
    rate_limit_per_minute: serviceAccount.requestsPerMinute,
    created_at: isoTime(serviceAccount.createdAtMs),
    changed_at: isoTime(serviceAccount.changedAtMs),
  };
}
