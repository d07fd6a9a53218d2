import { EventSource as PlainEventSource } from 'eventsource';
import { EventSource as LaunchdarklyEventSource } from 'launchdarkly-eventsource';
import { Agent, type Dispatcher, EventSource as UndiciEventSource } from 'undici';

/** A client of server-sent events of a third party. */
export interface OtherClient {
  readonly name: string;
  /** Reads, and comes back by its own rules, until what is returned is called. */
  open(ask: OtherAsk): () => void;
}

export interface OtherAsk {
  readonly url: string;
  readonly apiKey: string;
  readonly cursor: string | null;
  readonly onFrame: (type: string, cursor: string, data: string) => void;
  /** It gave up: some do when a connection fails before its answer. */
  readonly onGivenUp: () => void;
}

interface Listening {
  readonly readyState: number;
  addEventListener(type: string, listener: (message: Message) => void): void;
  close(): void;
}

interface Message {
  readonly lastEventId: string;
  readonly data: string;
}

const frameTypes = ['checkpoint', 'inventory.refresh.completed'];

const closedState = 2;

function listen(source: Listening, { onFrame, onGivenUp }: OtherAsk): () => void {
  for (const type of frameTypes) {
    source.addEventListener(type, ({ lastEventId, data }) => onFrame(type, lastEventId, data));
  }
  source.addEventListener('error', () => {
    setImmediate(() => {
      if (source.readyState === closedState) onGivenUp();
    });
  });
  return () => source.close();
}

/** Its own position counts as soon as it has one; before that, the one that was stored. */
const withKey = ({ apiKey, cursor }: OtherAsk, headers: Readonly<Record<string, string>>) => ({
  ...(cursor === null ? {} : { 'last-event-id': cursor }),
  ...Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text])),
  'x-api-key': apiKey,
});

const plain: OtherClient = {
  name: 'eventsource',
  open: (ask) =>
    listen(
      new PlainEventSource(ask.url, {
        fetch: (url, init) =>
          fetch(url, { ...init, headers: withKey(ask, init.headers) } as RequestInit),
      }) as Listening,
      ask,
    ),
};

const ofUndici: OtherClient = {
  name: 'undici',
  open(ask) {
    const agent = new Agent();
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      const headers = withKey(ask, headersOf(options));
      return dispatch({ ...options, headers }, handler);
    });
    const close = listen(
      new UndiciEventSource(ask.url, { node: { dispatcher } }) as unknown as Listening,
      ask,
    );
    return () => {
      close();
      void agent.destroy();
    };
  },
};

function headersOf({ headers }: Dispatcher.DispatchOptions): Record<string, string> {
  return Object.fromEntries(new Headers(headers as Record<string, string>));
}

const ofLaunchdarkly: OtherClient = {
  name: 'launchdarkly-eventsource',
  open(ask) {
    const headers: Record<string, string> = { 'X-API-Key': ask.apiKey };
    if (ask.cursor !== null) headers['Last-Event-ID'] = ask.cursor;
    const source = new LaunchdarklyEventSource(ask.url, { headers });
    // Headers that are given win over the position that it reached itself.
    source.addEventListener('open', () => {
      delete headers['Last-Event-ID'];
    });
    return listen(source, ask);
  },
};

export const otherClients: readonly OtherClient[] = [plain, ofUndici, ofLaunchdarkly];
