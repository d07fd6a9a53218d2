import { useEffect, useState } from 'preact/hooks';
import type { ProjectEvent, Refresh } from '../api/wire-types.ts';
import { formatClock, formatCredits, formatDuration, formatTime, formatWord } from '../format.ts';
import { outcomeTextOf } from '../inventory/outcomes.ts';
import { Empty, FailureNotice, Read, Tag } from '../parts/notices.tsx';
import { Panel, Table } from '../parts/panel.tsx';
import { ScopeText } from '../parts/scope-text.tsx';
import { useAction, useReading } from '../parts/use-reading.ts';
import { useSession } from '../session.tsx';

const limit = 25;
/** Without a stream the list is read again, slowly: reads count against the rate limit. */
const everyMs = 20_000;

/** Refreshes with outcome and price, and events as they arrive. */
export function ActivityRoom() {
  const { operations, environment, stream, events } = useSession();
  const isLive = stream?.state === 'live';
  const newest = useReading(
    async (signal) => (await operations.refreshes({ limit }, signal)).data,
    [events[0]?.id, isLive],
    environment.nowMs,
    isLive ? undefined : everyMs,
  );
  const [older, setOlder] = useState<readonly Refresh[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const more = useAction();
  const first = newest.value;
  // What follows a page belongs to it: a newer page begins anew.
  useEffect(() => {
    setOlder([]);
    setCursor(first?.pagination.next_cursor ?? null);
  }, [first]);
  const readMore = () =>
    more.run(async () => {
      const { data } = await operations.refreshes({ limit, cursor: cursor ?? undefined });
      setOlder((known) => [...known, ...data.items]);
      setCursor(data.pagination.next_cursor);
    });
  return (
    <div class="stack">
      <Panel title="Live events">
        <EventList events={events} />
      </Panel>
      <Panel
        title="Refreshes"
        actions={
          <button type="button" onClick={newest.reload} disabled={newest.isReading}>
            Read again
          </button>
        }
      >
        <Read reading={newest} what="the refreshes">
          {({ items }) => <RefreshTable refreshes={[...items, ...older]} />}
        </Read>
        {more.failure && <FailureNotice failure={more.failure} />}
        {cursor !== null && (
          <p>
            <button type="button" disabled={more.isBusy} onClick={() => void readMore()}>
              Older refreshes
            </button>
          </p>
        )}
      </Panel>
    </div>
  );
}

function EventList({ events }: { events: readonly ProjectEvent[] }) {
  const { stream, settings, account } = useSession();
  const waiting =
    stream !== null
      ? 'No event since the key was entered. Each refresh that ends appears here at once.'
      : !settings.has_stream
        ? 'The stream has an origin of its own, which a page may not read. The list below is read again every 20 s.'
        : account.events_enabled
          ? 'The key lacks the permission customer.events.read.v1. The list below is read again every 20 s.'
          : 'Events are not enabled for the account. The list below is read again every 20 s.';
  return (
    <>
      {stream?.failure && <FailureNotice failure={stream.failure} />}
      {stream?.state === 'reconnecting' && (
        <p class="notice warn" role="status">
          Reconnecting since {formatClock(stream.sinceMs)}. No event is lost: the stream continues
          after the last one.
        </p>
      )}
      {events.length === 0 ? (
        <Empty>{waiting}</Empty>
      ) : (
        <ol class="events" aria-live="polite">
          {events.map((event) => (
            <li key={event.id}>
              <time dateTime={event.occurred_at}>{formatTime(event.occurred_at)}</time>{' '}
              <EventText event={event} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function EventText({ event }: { event: ProjectEvent }) {
  switch (event.type) {
    case 'inventory.refresh.completed': {
      const { tone, title } = outcomeTextOf(event.data.outcome);
      return (
        <>
          <Tag tone={tone}>{title}</Tag> <ScopeText scope={event.data.scope} />
          {event.data.watch_id !== null && <span class="muted"> by a watch</span>}
        </>
      );
    }
    case 'inventory.watch.paused':
      return (
        <>
          <Tag tone="warn">Watch paused</Tag> <ScopeText scope={event.data.scope} />:{' '}
          {formatWord(event.data.reason)}
        </>
      );
    case 'account.balance.low':
      return (
        <>
          <Tag tone="bad">Balance low</Tag> {formatCredits(event.data.available)} available
        </>
      );
    default:
      // A later version may add types.
      return <Tag tone="plain">{(event as ProjectEvent).type}</Tag>;
  }
}

function RefreshTable({ refreshes }: { refreshes: readonly Refresh[] }) {
  if (refreshes.length === 0) return <Empty>No refresh yet.</Empty>;
  return (
    <Table
      caption="Refreshes, newest first"
      columns={['Requested', 'Inventory', 'Outcome', 'Took', 'Price #']}
    >
      {refreshes.map((refresh) => (
        <tr key={refresh.refresh_id}>
          <td class="nowrap">{formatTime(refresh.requested_at)}</td>
          <td>
            <ScopeText scope={refresh.scope} />
            {refresh.watch_id !== null && <span class="muted"> · watch</span>}
          </td>
          <td>
            {refresh.outcome === null ? (
              <Tag tone="plain">{formatWord(refresh.state)}</Tag>
            ) : (
              <Tag tone={outcomeTextOf(refresh.outcome).tone}>
                {outcomeTextOf(refresh.outcome).title}
              </Tag>
            )}
          </td>
          <td class="nowrap">
            {refresh.completed_at === null
              ? '–'
              : formatDuration(
                  (Date.parse(refresh.completed_at) - Date.parse(refresh.requested_at)) / 1_000,
                )}
          </td>
          <td class="number nowrap">{priceOf(refresh)}</td>
        </tr>
      ))}
    </Table>
  );
}

function priceOf({ billing }: Refresh): string {
  if (billing.state !== 'finalized') return `${billing.credits_reserved} held`;
  if (billing.funding === 'subscription') return `${billing.units_charged} units`;
  return formatCredits(billing.credits_charged ?? 0);
}
