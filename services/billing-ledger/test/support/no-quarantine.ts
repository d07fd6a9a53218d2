import type { RejectedMessage } from '@inventory/messaging/bus';
import type { Quarantine } from '../../src/journal/quarantine.ts';

/** For journals that add up: no account gets into it. */
export const emptyQuarantine: Pick<Quarantine, 'has' | 'add'> = {
  has: async () => false,
  add: (accountId, detail) => Promise.reject(new Error(`${accountId} quarantined: ${detail}`)),
};

export function neverRejected({ message, reason }: RejectedMessage): void {
  throw new Error(`${message.id} rejected: ${reason}`);
}
