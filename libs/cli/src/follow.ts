import type { ProjectEvent } from '@inventory/client/event-records';
import type { Session } from './session.ts';

export interface FollowPlan {
  readonly projectId: string;
  /** A cursor; the oldest stored event; or null, the present end. */
  readonly from: string | null;
  readonly apply: (event: ProjectEvent, cursor: string) => Promise<void>;
  /** Called once everything up to the cursor is applied. */
  readonly onProgress?: (cursor: string) => void;
}

const oldest = 'oldest';

/** Applies events one after the other until the program is interrupted; rejects as the client does. */
export function follow(session: Session, plan: FollowPlan): Promise<never> {
  const { client, printer, cli } = session;
  let isWhole = plan.from !== oldest;
  return client.followEvents(plan.projectId, {
    lastEventId: plan.from === oldest ? null : plan.from,
    signal: cli.signal,
    onEvent: plan.apply,
    async onProgress(cursor) {
      // The stream is open at the end of the log: no event is between the stored ones and its own.
      if (!isWhole) await applyStored(session, { ...plan, from: null });
      isWhole = true;
      plan.onProgress?.(cursor);
    },
    onGap({ reason, earliestAsOf, resumeCursor }) {
      const text = `stream.recovery_required: ${reason}. Events before ${earliestAsOf ?? 'now'} have expired.
  Read the refreshes that you wait for, or list them; the stored events follow.`;
      const gap = { reason, earliest_as_of: earliestAsOf, resume_cursor: resumeCursor };
      printer.note(text, { 'stream.recovery_required': gap });
    },
    onInterruption: ({ reason, retryInMs }) =>
      printer.note(`stream: ${reason}; reconnects in ${Math.ceil(retryInMs / 1_000)} s`, {
        interruption: { reason, retry_in_ms: Math.ceil(retryInMs) },
      }),
  });
}

/** Applies the stored events after a cursor, or all; resolves with the cursor of the last one. */
export async function applyStored(
  { client, call }: Session,
  { projectId, from, apply, onProgress }: FollowPlan,
): Promise<string | null> {
  let last = from;
  for await (const { event, cursor } of client.events(projectId, { ...call, after: from })) {
    await apply(event, cursor);
    onProgress?.(cursor);
    last = cursor;
  }
  return last;
}
