import { newAccountId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createEventStreams, type EventStream, type EventStreams } from './event-streams.ts';

interface Recorded extends EventStream {
  queued: number;
  taken: number;
  heartbeats: number;
  isWritten: boolean;
  lastFrame: string | null;
  isCut: boolean;
}

let clock: TestClock;
let streams: EventStreams;
let closed: string[];
let silent: Set<string>;
let port = 0;

const limits = { heartbeatMs: 15_000, lifeMaxMs: 900_000, slowAfterMs: 25_000, drainMs: 50 };

beforeEach(() => {
  clock = createTestClock();
  closed = [];
  silent = new Set();
  streams = createEventStreams({
    ...{ clock, limits },
    silentPeers: () => silent,
    onClosed: (reason) => void closed.push(reason),
  });
});

function opened({ lingers = false } = {}): Recorded {
  port += 1;
  let remove = (): void => {};
  const stream: Recorded = {
    accountId: newAccountId(),
    secretDigest: 'digest',
    clientAddress: '127.0.0.1',
    remote: `192.0.2.1/${port}`,
    queued: 0,
    taken: 0,
    heartbeats: 0,
    isWritten: false,
    lastFrame: null,
    isCut: false,
    heartbeat: () => {
      stream.heartbeats += 1;
      stream.isWritten = true;
    },
    takeWritten: () => {
      const { isWritten } = stream;
      stream.isWritten = false;
      return isWritten;
    },
    end: (lastFrame) => {
      stream.lastFrame = lastFrame;
      if (!lingers) remove();
    },
    destroy: () => {
      stream.isCut = true;
    },
  };
  remove = streams.add(stream);
  return stream;
}

function seconds(count: number): void {
  for (let second = 0; second < count; second += 1) {
    clock.advance(1_000);
    streams.sendHeartbeats();
  }
}

test('every stream has a heartbeat in 15 s, and they are spread over that time (Events: heartbeat) [events-heartbeat]', () => {
  const many = Array.from({ length: 30 }, () => opened());
  const perSecond = Array.from({ length: 15 }, () => {
    const before = many.reduce((sum, { heartbeats }) => sum + heartbeats, 0);
    seconds(1);
    return many.reduce((sum, { heartbeats }) => sum + heartbeats, 0) - before;
  });

  expect(many.map(({ heartbeats }) => heartbeats)).toEqual(many.map(() => 1));
  expect(perSecond).toEqual(Array.from({ length: 15 }, () => 2));
});

test('no stream is quiet for more than 15 s, and one that was written to has no heartbeat for 10 s (Events: heartbeat) [events-heartbeat]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
      fc.nat(40),
      (writes, before) => {
        for (let count = 0; count < before; count += 1) opened();
        const stream = opened();
        stream.isWritten = true;
        let quiet = 0;
        for (const isWritten of writes) {
          // Something is written at the start of the second, the longest before its end.
          if (isWritten) [stream.isWritten, quiet] = [true, 0];
          const sent = stream.heartbeats;
          seconds(1);
          quiet += 1;
          expect(quiet).toBeLessThanOrEqual(15);
          if (stream.heartbeats === sent) continue;
          expect(quiet).toBeGreaterThan(10);
          quiet = 0;
        }
      },
    ),
    { numRuns: propertyRuns(100) },
  );
});

test('a stream lasts 10 to 15 minutes and ends with stream.closing (Events: max_age) [events-life, events-closing]', () => {
  const many = Array.from({ length: 50 }, () => opened());

  seconds(599);
  expect(many.filter(({ lastFrame }) => lastFrame !== null)).toEqual([]);
  seconds(301);

  expect(closed).toEqual(many.map(() => 'max_age'));
  for (const { lastFrame, isCut } of many) {
    expect(lastFrame).toMatch(
      /^event: stream\.closing\nretry: (\d+)\ndata: \{"reason":"max_age","retry_after_ms":\1\}\n\n$/,
    );
    expect(isCut).toBe(false);
  }
});

test('a client that takes nothing for 25 s gets slow_consumer and is disconnected, one that takes a byte is not, however much is queued (Events: slow consumer) [events-slow-consumer]', () => {
  const [stalled, slow, quick] = [opened(), opened(), opened()];
  stalled.queued = 3;
  slow.queued = 256 * 1024;

  seconds(24);
  expect(closed).toEqual([]);
  for (let rest = 0; rest < 10; rest += 1) {
    // More is queued than is taken.
    slow.taken += 1;
    slow.queued += 1_000;
    seconds(24);
  }

  expect(closed).toEqual(['slow_consumer']);
  expect(stalled).toMatchObject({
    isCut: true,
    lastFrame: expect.stringContaining('slow_consumer'),
  });
  for (const { lastFrame } of [slow, quick]) expect(lastFrame).toBeNull();
});

test('a client that has taken everything in between has 25 s again (Events: slow consumer) [events-slow-consumer]', () => {
  const stream = opened();
  for (const queued of [3, 0, 3]) {
    stream.queued = queued;
    seconds(20);
  }
  expect(closed).toEqual([]);

  seconds(5);
  expect(closed).toEqual(['slow_consumer']);
});

test('a client that is gone is disconnected once it has acknowledged nothing for 25 s, whatever the socket takes for it: within 45 s of its last frame (Events: slow consumer) [events-slow-consumer, events-seats]', () => {
  const [gone, other] = [opened(), opened()];
  const takeHeartbeats = () => {
    for (const stream of [gone, other]) stream.taken = 3 * stream.heartbeats;
    // Only what was sent can be sent again.
    if (gone.heartbeats > 0) silent.add(gone.remote);
  };
  for (let second = 0; second < 45; second += 1) {
    seconds(1);
    takeHeartbeats();
  }

  expect(closed).toEqual(['slow_consumer']);
  expect([gone.isCut, other.lastFrame]).toEqual([true, null]);
});

test('a client that acknowledges again in between stays connected (Events: slow consumer) [events-slow-consumer]', () => {
  const stream = opened();
  for (let round = 0; round < 3; round += 1) {
    silent.add(stream.remote);
    seconds(24);
    silent.clear();
    seconds(1);
  }

  expect(closed).toEqual([]);
});

test('a revoked stream gets no queued event any more (Events: stream.authorization_revoked) [events-revoked]', () => {
  const [quick, slow] = [opened(), opened()];
  slow.queued = 1;

  streams.revoke(quick, 'credential_revoked');
  streams.revoke(slow, 'events_not_enabled');

  expect(quick).toMatchObject({
    isCut: false,
    lastFrame: 'event: stream.authorization_revoked\ndata: {"reason":"credential_revoked"}\n\n',
  });
  expect(slow.isCut).toBe(true);
});

test('when the service stops every stream gets stream.closing with a delay, spread over the drain time (Events: draining) [events-closing]', async () => {
  const many = Array.from({ length: 20 }, () => opened());

  await streams.drain();

  expect(streams.draining).toBe(true);
  expect(closed).toEqual(many.map(() => 'draining'));
  for (const { lastFrame } of many) {
    const after = Number(/"retry_after_ms":(\d+)/.exec(lastFrame ?? '')?.[1]);
    expect(after).toBeGreaterThanOrEqual(1_000);
    expect(after).toBeLessThanOrEqual(60_000);
  }
});

test('a stream is closed and counted once, however long its connection stays open (Events: stream.closing) [events-closing]', () => {
  const stream = opened({ lingers: true });
  seconds(900);
  stream.queued = 1;
  seconds(60);
  streams.revoke(stream, 'credential_revoked');
  streams.close(stream, 'unavailable');

  expect(closed).toEqual(['max_age']);
  expect(stream.lastFrame).toContain('max_age');
});

test('a stream that was admitted before a drain and opens during it gets stream.closing (Events: draining) [events-closing]', async () => {
  const drained = streams.drain();
  const late = opened();
  expect(late.lastFrame).toBeNull();

  await drained;
  await new Promise((resolve) => setImmediate(resolve));

  expect(late.lastFrame).toContain('draining');
  expect(closed).toEqual(['draining']);
});
