import { createHash } from 'node:crypto';
import type { ServiceName } from '@inventory/contracts/topics';
import type { Settings } from './known-settings.ts';

/** The services that call others. */
export const callingServices: readonly ServiceName[] = [
  'gateway',
  'refresh-collector',
  'event-stream',
];

/** The value of SERVICE_CALLERS that accepts these tokens. */
export function callersOf(tokens: Settings): string {
  return Object.entries(tokens)
    .map(([service, token]) => `${service}:${createHash('sha256').update(token).digest('hex')}`)
    .join(',');
}
