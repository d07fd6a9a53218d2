import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { contentOfChunks } from '../../src/streams/event-frame.domain.ts';
import { createEventStreams, type EventStreams } from '../../src/streams/event-streams.ts';
import { createProjectHub, type ProjectHub } from '../../src/streams/project-hub.ts';
import type { SessionContext } from '../../src/streams/session-context.ts';
import type { StreamConnection } from '../../src/streams/stream-connection.ts';
import type { StreamPosition } from '../../src/streams/stream-position.domain.ts';
import { type StreamReader, StreamSession } from '../../src/streams/stream-session.ts';
import { createMemoryLog } from './memory-log.ts';

/** Readable cursors: epoch and position. */
export const sealPosition = (_id: string, { logEpoch, position }: StreamPosition) =>
  `${logEpoch}.${position}`;

let port = 0;

/** What was written to it, and a client that is as slow as a test says. */
export class RecordedConnection implements StreamConnection {
  readonly remote: string;
  queued = 0;
  taken = 0;
  isFull = false;
  text = '';
  lastFrame: string | null = null;
  isCut = false;
  /** Whether it stays open after its last frame. */
  lingers = false;
  #onClosed = (): void => {};

  constructor() {
    port += 1;
    this.remote = `192.0.2.1/${port}`;
  }

  get heartbeats(): number {
    return this.text.split('\n\n').filter((frame) => frame === ':').length;
  }

  write(chunks: Buffer): void {
    this.text += contentOfChunks(chunks).toString();
  }

  end(lastFrame: string): void {
    this.lastFrame = lastFrame;
    this.text += lastFrame;
    if (!this.lingers) this.#onClosed();
  }

  onDrained(): void {}

  onClosed(callback: () => void): void {
    this.#onClosed = callback;
  }

  cut(): void {
    this.isCut = true;
  }
}

export function sessionContext(
  parts: Pick<SessionContext, 'log'> & Partial<SessionContext>,
): SessionContext {
  return {
    sealPosition,
    replays: only({ run: (read) => read() }),
    pauseAfterFailure: async () => true,
    limits: { heartbeatMs: 15_000, lifeMaxMs: 900_000, slowAfterMs: 25_000, drainMs: 50 },
    silentPeers: () => new Set(),
    onClosed: () => {},
    logger: testLogger,
    clock: createTestClock(),
    ...parts,
  };
}

export interface TestStream {
  readonly session: StreamSession;
  readonly connection: RecordedConnection;
}

/** The streams of one replica, all of one Project without events. */
export interface TestStreams {
  readonly streams: EventStreams;
  /** Reasons of the ends, in order. */
  readonly closed: string[];
  /** Peers that acknowledge nothing. */
  readonly silent: Set<string>;
  open(reader?: Partial<StreamReader>): TestStream;
}

export function createTestStreams(
  clock = createTestClock(),
  watch: (session: StreamSession) => () => void = () => () => {},
): TestStreams {
  const streams = createEventStreams();
  const [closed, silent] = [[] as string[], new Set<string>()];
  const log = createMemoryLog(newProjectId()).client;
  const context = sessionContext({
    log,
    silentPeers: () => silent,
    onClosed: (reason) => void closed.push(reason),
  });
  const limits = { entriesMax: 10, bytesMax: 10_000 };
  const parts = { log, sealPosition, limits, flushSoon: () => {}, logger: testLogger, clock };
  const hub: ProjectHub = createProjectHub(parts, newProjectId(), { logEpoch: 1, head: 0 });
  return {
    streams,
    closed,
    silent,
    open(reader = {}) {
      const connection = new RecordedConnection();
      const session = new StreamSession(context, {
        reader: {
          ...{ accountId: newAccountId(), secretDigest: 'digest', clientAddress: '127.0.0.1' },
          ...reader,
        },
        ...{ hub, connection, types: null, after: { logEpoch: 1, position: 0, asOfMs: 0 } },
      });
      const [remove, unwatch] = [streams.add(session), watch(session)];
      connection.onClosed(() => {
        remove();
        unwatch();
      });
      return { session, connection };
    },
  };
}
