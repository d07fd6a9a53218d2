import { invariant } from '@inventory/runtime/bug';
import type { ReceivedMessage } from './bus.ts';

const waitingMax = 2_000;

/** No reply came before the deadline: the outcome is unknown, not failed. */
export class ReplyTimeout extends Error {
  override name = 'ReplyTimeout';
}

/** Too many requests wait for a reply already. */
export class PendingRepliesFull extends Error {
  override name = 'PendingRepliesFull';
}

/** What a reply answers; undefined where it answers nothing. */
export type ReplyReader<Answer> = (reply: ReceivedMessage) => Answer | undefined;

/** Matches replies on `replies.v1` to the requests of this process that wait for them. */
export interface PendingReplies {
  /**
   * Waits for the reply to `waitingId`, an id of this one request; call it before the command is
   * sent. Rejects with {@link ReplyTimeout} after `timeoutMs` or when the box is stopped, with
   * {@link PendingRepliesFull} when the cap is reached. A reply in which `answerIn` finds none is dropped
   * as a foreign one is, and the wait goes on.
   */
  expect<Answer>(
    waitingId: string,
    timeoutMs: number,
    answerIn: ReplyReader<Answer>,
  ): Promise<Answer>;
  /** To be called with every message of `replies.v1`, whichever replica it is for. */
  onMessage(message: ReceivedMessage): void;
  readonly waiting: number;
  /** Every open wait ends at once with {@link ReplyTimeout}. */
  stop(): void;
}

/**
 * Every replica reads all replies and keeps what one of its own waiters asked for; a late or a
 * foreign reply is dropped, as is every repetition.
 */
export function createPendingReplies(): PendingReplies {
  const waiters = new Map<string, Waiter>();

  async function wait<Answer>(
    waitingId: string,
    timeoutMs: number,
    answerIn: ReplyReader<Answer>,
  ): Promise<Answer> {
    if (waiters.size >= waitingMax) throw new PendingRepliesFull();
    invariant(!waiters.has(waitingId), 'an id is waited for by one request only');
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
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
        const answer = answerIn(reply);
        if (answer === undefined) return;
        end();
        resolve(answer);
      },
      reject(reason) {
        end();
        reject(new ReplyTimeout(reason));
      },
    });
    return promise;
  }

  return {
    expect(waitingId, timeoutMs, answerIn) {
      const answer = wait(waitingId, timeoutMs, answerIn);
      // Whoever fails to send the command never looks at the answer, which is no fault of theirs.
      answer.catch(() => {});
      return answer;
    },
    onMessage: (message) => waiters.get(message.key)?.read(message),
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
