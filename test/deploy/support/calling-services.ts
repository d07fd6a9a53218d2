import type { ServiceName } from '@inventory/contracts/topics';

/** The services that call others. */
export const callingServices: readonly ServiceName[] = [
  'gateway',
  'refresh-collector',
  'event-stream',
];
