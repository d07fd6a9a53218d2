import type { LogPage } from '@inventory/contracts/internal/event-log';
import { isoTime } from '@inventory/runtime/clock';
import { toWireEvent } from '../operations/wire-event.ts';
import type { KeptEntry } from '../storage/project-log.ts';

export interface ReadLog {
  readonly logEpoch: number;
  readonly head: number;
  readonly oldest: KeptEntry | undefined;
  readonly items: readonly KeptEntry[];
}

/** The reads of a page are not atomic: an entry may be appended between them. */
export function toLogPage({ logEpoch, head, oldest, items }: ReadLog): LogPage {
  const headPosition = Math.max(head, items.at(-1)?.position ?? 0);
  return {
    log_epoch: logEpoch,
    head_position: headPosition,
    earliest_position: oldest?.position ?? headPosition + 1,
    earliest_at: oldest ? isoTime(oldest.appendedAtMs) : null,
    items: items.map(({ position, appendedAtMs, event }) => ({
      position,
      appended_at: isoTime(appendedAtMs),
      event: toWireEvent(event),
    })),
  };
}
