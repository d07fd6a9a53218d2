import type { MessageBus, ReceivedMessage, Subscription } from './bus.ts';

const waitingMax = 2_000;

/** No reply came before the deadline: the outcome is unknown, not failed. */
export class ReplyTimeout extends Error {
  override name = 'ReplyTimeout';
}

/** Too many requests wait for a reply already. */
export class ReplyBoxFull extends Error {
  override name = 'ReplyBoxFull';
}

/** Matches replies on `replies.v1` to the requests of this process that wait for them. */
export interface ReplyBox {
  /**
   * Waits for the reply to `waitingId`; call it before the command is sent. Rejects with
   * {@link ReplyTimeout} after `timeoutMs`, with {@link ReplyBoxFull} when the cap is reached.
   */
  expect(waitingId: string, timeoutMs: number): Promise<ReceivedMessage>;
  readonly waiting: number;
  stop(): Promise<void>;
}

/**
 * Every replica reads all replies and keeps what one of its own waiters asked for; a late or a
 * foreign reply is dropped, as is every repetition.
 */
export async function createReplyBox(bus: MessageBus, name: string): Promise<ReplyBox> {
  const waiters = new Map<string, (message: ReceivedMessage) => void>();

  const subscription: Subscription = await bus.broadcast({
    name: `${name}-replies`,
    topics: ['replies.v1'],
    onMessage: (message) => waiters.get(message.key)?.(message),
  });

  return {
    expect(waitingId, timeoutMs) {
      if (waiters.size >= waitingMax) return Promise.reject(new ReplyBoxFull());
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(waitingId);
          reject(new ReplyTimeout(`no reply to ${waitingId} within ${timeoutMs} ms`));
        }, timeoutMs);
        waiters.set(waitingId, (message) => {
          clearTimeout(timer);
          waiters.delete(waitingId);
          resolve(message);
        });
      });
    },
    get waiting() {
      return waiters.size;
    },
    stop: () => subscription.stop(),
  };
}
