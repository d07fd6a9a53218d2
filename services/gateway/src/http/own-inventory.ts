import { type Environment, environmentOfPlatformId } from '@inventory/contracts/environment';
import type { RequestIssue } from '@inventory/contracts/http/meta';

const reasons: Readonly<Record<Environment, string>> = {
  live: 'is an account of the sandbox, which only keys of a sandbox account can use',
  sandbox: 'must be an account of the sandbox, whose ids begin with 771 or 772',
};

/**
 * Why a Principal may not name a platform account; empty where it may. The inventories of an environment
 * are those of its own platform accounts, so nothing that is saved of one is read in the other.
 */
export function foreignInventory(
  environment: Environment,
  platformId: string,
  place: Pick<RequestIssue, 'in' | 'field'>,
): RequestIssue[] {
  if (environmentOfPlatformId(platformId) === environment) return [];
  return [{ ...place, reason: reasons[environment] }];
}

/**
 * Whether requests for the platform account are refused as those beyond the limit of a minute are: one
 * for a client to try what it does then.
 */
export function isRateLimitedId(environment: Environment, platformId: unknown): boolean {
  return environment === 'sandbox' && /^771429\d{11}$/.test(String(platformId));
}
