import type {
  AccountId,
  CredentialId,
  ProjectId,
  RefreshId,
  RequestId,
} from '@inventory/contracts/ids';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { systemIdentifiers } from '@inventory/runtime/identifiers';

const { uuidV7 } = systemIdentifiers;

export const newAccountId = (): AccountId => `acc_${uuidV7()}`;
export const newProjectId = (): ProjectId => `prj_${uuidV7()}`;
export const newCredentialId = (): CredentialId => `cred_${uuidV7()}`;
export const newRequestId = (): RequestId => `req_${uuidV7()}`;
export const newRefreshId = (): RefreshId => uuidV7();

/** A unique scope: its platform account is random, of 10^13 numbers. */
export function newScope(overrides: Partial<InventoryKey> = {}): InventoryKey {
  const digits = String(Math.floor(Math.random() * 1e13)).padStart(13, '0');
  return { platform_id: `7656${digits}`, app_id: 730, context_id: 2, ...overrides };
}

/** A unique scope of the sandbox. */
export function newSandboxScope(): InventoryKey {
  const { platform_id, ...inventory } = newScope();
  return { platform_id: `772${platform_id.slice(3)}`, ...inventory };
}
