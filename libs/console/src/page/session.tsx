import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { Api, BrowserEnvironment } from './api/call-api.ts';
import { type StreamState, streamEvents } from './api/follow-events.ts';
import type { Operations } from './api/operations.ts';
import type { Account, Permission, ProjectEvent } from './api/wire-types.ts';

/** What the gateway has set in the page. */
export interface PageSettings {
  /** What an `icon_url` is appended to; null where the operator allows no pictures. */
  readonly pictures_url: string | null;
  /** Whether the stream is on the origin of the page; on another one a browser may not read it. */
  readonly has_stream: boolean;
  readonly has_reference: boolean;
}

/** One key in use: what every room reads by. */
export interface Session {
  readonly api: Api;
  readonly operations: Operations;
  readonly environment: BrowserEnvironment;
  /** As of the sign-in. */
  readonly account: Account;
  readonly settings: PageSettings;
  readonly stream: StreamState | null;
  /** Newest first, since the sign-in. */
  readonly events: readonly ProjectEvent[];
}

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('rooms are opened with a key');
  return session;
}

/** The wildcard grants the permissions of inventories, and no other. */
export function allows({ credential: { scopes } }: Account, permission: Permission): boolean {
  if (scopes.includes(permission)) return true;
  return scopes.includes('*') && permission.startsWith('platform.');
}

const eventsKept = 200;

/** Follows the stream of the Project while the key may read it. */
export function useEvents({
  api,
  operations,
  account,
  settings,
}: Pick<Session, 'api' | 'operations' | 'account' | 'settings'>) {
  const [stream, setStream] = useState<StreamState | null>(null);
  const [events, setEvents] = useState<readonly ProjectEvent[]>([]);
  const project = account.credential.project_id;
  const mayFollow =
    settings.has_stream && account.events_enabled && allows(account, 'customer.events.read.v1');
  useEffect(() => {
    if (!mayFollow) return undefined;
    const leaving = new AbortController();
    void streamEvents({
      api,
      operations,
      project,
      signal: leaving.signal,
      onState: setStream,
      onEvent: (event) => setEvents((known) => [event, ...known].slice(0, eventsKept)),
    });
    return () => leaving.abort();
  }, [api, operations, project, mayFollow]);
  return { stream, events };
}
