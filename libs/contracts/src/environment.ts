import { z } from 'zod';
import { type AccountId, idPrefixes } from './ids.ts';

/** Where the inventories of an account are read: at the platform, or at its simulation. */
export const environment = z
  .enum(['live', 'sandbox'])
  .describe('`sandbox` for Credentials of a sandbox account, whose inventories are simulated.');
export type Environment = z.infer<typeof environment>;
export const environments = environment.options;

/**
 * The environment is a part of the account's id: the UUID of a sandbox twin has version 8, that of any
 * other account version 7. So no message can lack it, and no service stores a copy.
 */
export function environmentOf(accountId: AccountId): Environment {
  return accountId.charAt(idPrefixes.account.length + versionIndex) === '8' ? 'sandbox' : 'live';
}

/** Of the digit of a UUID that states its version. */
const versionIndex = 14;

/**
 * The environment of a platform account. The platform has none of the simulated ones, so inventories of
 * the two environments have different keys.
 */
export function environmentOfPlatformId(platformId: string): Environment {
  return sandboxPlatformId.test(platformId) ? 'sandbox' : 'live';
}

/** `771` and the number of a scenario; `772` and a number of assets. */
const sandboxPlatformId = /^77[12]/;
