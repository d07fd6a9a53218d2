import type { ComponentType } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Api } from './api/call-api.ts';
import type { StreamState } from './api/follow-events.ts';
import { createOperations } from './api/operations.ts';
import type { Account } from './api/wire-types.ts';
import { formatClock, formatWord } from './format.ts';
import { Tag } from './parts/notices.tsx';
import { ActivityRoom } from './rooms/activity-room.tsx';
import { InventoryRoom } from './rooms/inventory-room.tsx';
import { KeysRoom } from './rooms/keys-room.tsx';
import { OverviewRoom } from './rooms/overview-room.tsx';
import { UsageRoom } from './rooms/usage-room.tsx';
import { WatchesRoom } from './rooms/watches-room.tsx';
import { type PageSettings, type Session, SessionProvider, useEvents } from './session.tsx';

const rooms = {
  overview: ['Overview', OverviewRoom],
  inventory: ['Inventory', InventoryRoom],
  activity: ['Activity', ActivityRoom],
  watches: ['Watches', WatchesRoom],
  usage: ['Usage', UsageRoom],
  keys: ['Keys and webhooks', KeysRoom],
} as const satisfies Record<string, readonly [string, ComponentType]>;
type RoomName = keyof typeof rooms;

const roomOf = (hash: string): RoomName => {
  const name = hash.replace('#/', '');
  return Object.hasOwn(rooms, name) ? (name as RoomName) : 'overview';
};

/** The room that the address names: the address holds nothing else. */
function useRoom(): RoomName {
  const [room, setRoom] = useState(() => roomOf(location.hash));
  useEffect(() => {
    // An address without a slash is a place within the room.
    const follow = () => location.hash.startsWith('#/') && setRoom(roomOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return room;
}

export function Shell({
  api,
  account,
  settings,
  onLeave,
}: {
  api: Api;
  account: Account;
  settings: PageSettings;
  onLeave: () => void;
}) {
  const room = useRoom();
  const opened = useMemo(() => {
    const operations = createOperations(api, account.credential.project_id);
    return { api, operations, environment: api.environment, account, settings };
  }, [api, account, settings]);
  const { stream, events } = useEvents(opened);
  const session = useMemo<Session>(() => ({ ...opened, stream, events }), [opened, stream, events]);
  const [title, Room] = rooms[room];
  return (
    <SessionProvider value={session}>
      <a class="skip" href="#main">
        Skip to the room
      </a>
      <header class="top">
        <strong class="brand">Inventory console</strong>
        <StreamSign stream={stream} />
        <button type="button" onClick={onLeave}>
          Forget the key
        </button>
      </header>
      <div class="body">
        <nav aria-label="Rooms">
          {(Object.keys(rooms) as RoomName[]).map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === room ? 'page' : undefined}>
              {rooms[name][0]}
            </a>
          ))}
        </nav>
        <main id="main">
          <Heading title={title} />
          {/* What was paid for stays while another room is open. */}
          <div hidden={room !== 'inventory'}>
            <InventoryRoom />
          </div>
          {room !== 'inventory' && <Room />}
        </main>
      </div>
    </SessionProvider>
  );
}

/** Takes the focus when the room changes, so that a screen reader says where it is. */
function Heading({ title }: { title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  // By its dependencies: whenever the title is another one.
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    document.title = `${title} · Inventory console`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** Whether events arrive, and since when. */
function StreamSign({ stream }: { stream: StreamState | null }) {
  if (stream === null) return <span class="stream">No live events</span>;
  const { state, sinceMs, reason } = stream;
  const tone = { live: 'good', connecting: 'plain', reconnecting: 'warn', ended: 'bad' } as const;
  return (
    <span class="stream" role="status">
      <Tag tone={tone[state]}>Events: {state}</Tag>
      <span class="since">
        since {formatClock(sinceMs)}
        {reason !== null && ` · ${formatWord(reason)}`}
      </span>
    </span>
  );
}
