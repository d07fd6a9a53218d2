import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import type { OutgoingMessage, ReceivedMessage } from '../../src/bus.ts';

/** The topic that {@link cancel} messages go to. */
export const workTopic = 'refresh.commands.v1';

const accountId = newAccountId();
const projectId = newProjectId();

/** A message whose key is the refresh and whose id has its index within the key. */
export function cancel(refreshId: string, index = 0) {
  return {
    type: 'refresh.cancel.v1',
    id: `${refreshId}#${index}`,
    body: {
      refreshId,
      accountId,
      projectId,
      requestedAtMs: Date.UTC(2026, 0, 1),
    },
  } as const satisfies OutgoingMessage;
}

/** Messages 0 to `count` - 1 of one key, in order. */
export function cancels(refreshId: string, count: number, from = 0): OutgoingMessage[] {
  return Array.from({ length: count }, (_, index) => cancel(refreshId, from + index));
}

export function newKeys(count: number): string[] {
  return Array.from({ length: count }, newRefreshId);
}

export function authorityChange(id: string): OutgoingMessage {
  return {
    type: 'authority.changed.v1',
    id,
    body: {
      accountId,
      projectId: null,
      credentialId: null,
      atMs: Date.UTC(2026, 0, 1),
    },
  };
}

export function cancelReply(waitingId: string, refreshId = newRefreshId()): OutgoingMessage {
  return {
    type: 'reply.refresh-cancel.v1',
    id: `reply:${waitingId}`,
    body: { waitingId, refreshId, result: 'cancelling' },
  };
}

/** The indexes of one key's messages in the order of their first delivery. */
export function firstIndexes(messages: readonly Pick<ReceivedMessage, 'id'>[], key: string) {
  const ids = new Set(messages.map(({ id }) => id).filter((id) => id.startsWith(`${key}#`)));
  return [...ids].map((id) => Number(id.slice(key.length + 1)));
}

export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
