import {
  type PendingReplies,
  type ReplyReader,
  ReplyTimeout,
} from '@inventory/messaging/pending-replies';

/** A reply box whose waits a test ends, not a timer. */
export interface ReplyCutter extends PendingReplies {
  /** Ends every wait that is open now; the time that each would have had. */
  cut(): number[];
  /** Ends every wait for the reply to a pending command, now and later. */
  abandonPending(): void;
}

interface Wait {
  readonly id: string;
  readonly timeoutMs: number;
  readonly end: () => void;
}

export function createReplyCutter(box: PendingReplies): ReplyCutter {
  const waits = new Set<Wait>();
  let abandonsPending = false;

  async function waitOrCut<Reply>(
    id: string,
    timeoutMs: number,
    replyIn: ReplyReader<Reply>,
  ): Promise<Reply> {
    const tooLate = Promise.withResolvers<never>();
    const end = () => tooLate.reject(new ReplyTimeout(`no reply to ${id} any more`));
    const wait = { id, timeoutMs, end };
    waits.add(wait);
    if (abandonsPending && isPending(wait)) end();
    try {
      return await Promise.race([box.expect(id, timeoutMs, replyIn), tooLate.promise]);
    } finally {
      waits.delete(wait);
    }
  }

  return {
    expect<Reply>(id: string, timeoutMs: number, replyIn: ReplyReader<Reply>) {
      const response = waitOrCut(id, timeoutMs, replyIn);
      // As the box does: a sender that fails never reads it.
      response.catch(() => {});
      return response;
    },
    get waiting() {
      return box.waiting;
    },
    isExpected: box.isExpected,
    onMessage: box.onMessage,
    stop: () => box.stop(),
    cut() {
      const open = [...waits];
      for (const { end } of open) end();
      return open.map(({ timeoutMs }) => timeoutMs);
    },
    abandonPending() {
      abandonsPending = true;
      for (const wait of waits) if (isPending(wait)) wait.end();
    },
  };
}

/** As `resendPendingCommands` names its waits. */
const isPending = ({ id }: Wait) => id.startsWith('reply.');
