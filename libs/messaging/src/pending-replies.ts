import { invariant } from '@inventory/runtime/bug';
import type { ReceivedMessage } from './bus.ts';

const pendingMax = 2_000;

/** No reply arrived before the timeout: the outcome is unknown, not failed. */
export class ReplyTimeout extends Error {
  override name = 'ReplyTimeout';
}

/** Too many requests are waiting for a reply. */
export class PendingRepliesFull extends Error {
  override name = 'PendingRepliesFull';
}

/** The content of a reply; undefined where the reply is of another type. */
export type ReplyReader<Reply> = (reply: ReceivedMessage) => Reply | undefined;

/** Matches replies on `replies.v1` to the pending requests of this process. */
export interface PendingReplies {
  /**
   * Waits for the reply with the correlation id `waitingId`, which belongs to one request; call it
   * before the command is sent. Rejects with {@link ReplyTimeout} after `timeoutMs` or on `stop`,
   * and with {@link PendingRepliesFull} at the limit. A reply for which `replyIn` returns undefined
   * is ignored, and the wait continues.
   */
  expect<Reply>(waitingId: string, timeoutMs: number, replyIn: ReplyReader<Reply>): Promise<Reply>;
  /** Whether a request of this process waits for the reply with this correlation id. */
  isExpected(waitingId: string): boolean;
  /** Called with messages of `replies.v1`, also those for other replicas. */
  onMessage(message: ReceivedMessage): void;
  readonly waiting: number;
  /** Rejects every pending request with {@link ReplyTimeout}. */
  stop(): void;
}

/**
 * Every replica reads all replies and keeps those of its own requests; late replies, duplicates and
 * replies for other replicas are dropped.
 */
export function createPendingReplies(): PendingReplies {
  const waiters = new Map<string, Waiter>();

  async function wait<Reply>(
    waitingId: string,
    timeoutMs: number,
    replyIn: ReplyReader<Reply>,
  ): Promise<Reply> {
    if (waiters.size >= pendingMax) throw new PendingRepliesFull();
    invariant(!waiters.has(waitingId), 'a correlation id belongs to one request');
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const timer = setTimeout(
      () => waiters.get(waitingId)?.reject(`no reply to ${waitingId} within ${timeoutMs} ms`),
      timeoutMs,
    );
    const end = () => {
      clearTimeout(timer);
      waiters.delete(waitingId);
    };
    waiters.set(waitingId, {
      read(reply) {
        const response = replyIn(reply);
        if (response === undefined) return;
        end();
        resolve(response);
      },
      reject(reason) {
        end();
        reject(new ReplyTimeout(reason));
      },
    });
    return promise;
  }

  return {
    expect(waitingId, timeoutMs, replyIn) {
      const response = wait(waitingId, timeoutMs, replyIn);
      // A caller that fails to send the command never awaits the reply: no unhandled rejection.
      response.catch(() => {});
      return response;
    },
    onMessage: (message) => waiters.get(message.key)?.read(message),
    isExpected: (waitingId) => waiters.has(waitingId),
    get waiting() {
      return waiters.size;
    },
    stop() {
      for (const waiter of waiters.values()) waiter.reject('the process is stopping');
    },
  };
}

interface Waiter {
  read(reply: ReceivedMessage): void;
  reject(reason: string): void;
}
