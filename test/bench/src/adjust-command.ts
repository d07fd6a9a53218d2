import { randomUUID } from 'node:crypto';
import type { AccountId } from '@inventory/contracts/ids';
import { billingCommandId } from '@inventory/contracts/messages/billing';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';

/** A command that any funded account can be sent at any rate. */
export function adjustCommand(accountId: AccountId): OutgoingMessage {
  const commandId = billingCommandId.adjust(randomUUID());
  const booking = { asset: 'credits', amount: 1, reason: 'benchmark' } as const;
  const requestId = `req_${systemIdentifiers.uuidV7()}` as const;
  return {
    type: 'billing.adjust.v1',
    id: commandId,
    body: { commandId, accountId, requestId, ...booking },
  };
}
