import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  createTestStreams,
  type TestStream,
  type TestStreams,
} from '../../test/support/test-streams.ts';

let world: TestStreams;
beforeEach(() => {
  world = createTestStreams();
});

function seconds(count: number): void {
  for (let second = 0; second < count; second += 1) world.streams.tick();
}

const many = (count: number) => Array.from({ length: count }, () => world.open());
const connectionsOf = (opened: readonly TestStream[]) => opened.map((one) => one.connection);

test('every stream has a heartbeat in 15 s, and those that were written to at once are spread over some (Events: heartbeat) [events-heartbeat]', () => {
  const opened = many(200);
  for (const { session } of opened) session.write('event: x\n\n');
  const heartbeats = () =>
    connectionsOf(opened).reduce((sum, connection) => sum + connection.heartbeats, 0);
  const perSecond = Array.from({ length: 15 }, () => {
    const before = heartbeats();
    seconds(1);
    return heartbeats() - before;
  });

  expect(connectionsOf(opened).map((connection) => connection.heartbeats)).toEqual(
    opened.map(() => 1),
  );
  expect(perSecond.filter((count) => count > 0)).toHaveLength(4);
});

test('no stream is quiet for more than 15 s, and one that was written to has no heartbeat for 10 s (Events: heartbeat) [events-heartbeat]', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (writes) => {
      const { session, connection } = world.open();
      session.write('event: x\n\n');
      let quiet = 0;
      for (const isWritten of writes) {
        // Something is written at the start of the second, the longest before its end.
        if (isWritten) {
          session.write('event: x\n\n');
          quiet = 0;
        }
        const sent = connection.heartbeats;
        seconds(1);
        quiet += 1;
        expect(quiet).toBeLessThanOrEqual(15);
        if (connection.heartbeats === sent) continue;
        expect(quiet).toBeGreaterThan(10);
        quiet = 0;
      }
      session.end('');
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('a stream lasts 10 to 15 minutes and ends with stream.closing (Events: max_age) [events-life, events-closing]', () => {
  const opened = many(50);

  seconds(599);
  expect(world.closed).toEqual([]);
  seconds(301);

  expect(world.closed).toEqual(opened.map(() => 'max_age'));
  for (const { lastFrame, isCut } of connectionsOf(opened)) {
    expect(lastFrame).toMatch(
      /^event: stream\.closing\nretry: (\d+)\ndata: \{"reason":"max_age","retry_after_ms":\1\}\n\n$/,
    );
    expect(isCut).toBe(false);
  }
});

test('a client that takes nothing for 25 s gets slow_consumer and is disconnected, one that takes a byte is not, however much is queued (Events: slow consumer) [events-slow-consumer]', () => {
  const [stalled, slow, quick] = [world.open(), world.open(), world.open()];
  stalled.connection.queued = 3;
  slow.connection.queued = 256 * 1024;

  seconds(24);
  expect(world.closed).toEqual([]);
  for (let pause = 0; pause < 10; pause += 1) {
    // More is queued than is taken.
    slow.connection.taken += 1;
    slow.connection.queued += 1_000;
    seconds(24);
  }

  expect(world.closed).toEqual(['slow_consumer']);
  expect(stalled.connection).toMatchObject({
    isCut: true,
    lastFrame: expect.stringContaining('slow_consumer'),
  });
  for (const { lastFrame } of connectionsOf([slow, quick])) expect(lastFrame).toBeNull();
});

test('a client that has taken everything in between has 25 s again (Events: slow consumer) [events-slow-consumer]', () => {
  const { connection } = world.open();
  for (const queued of [3, 0, 3]) {
    connection.queued = queued;
    seconds(20);
  }
  expect(world.closed).toEqual([]);

  seconds(5);
  expect(world.closed).toEqual(['slow_consumer']);
});

test('a client that is gone is disconnected once it has acknowledged nothing for 25 s, whatever the socket takes for it: within 45 s of its last frame (Events: slow consumer) [events-slow-consumer, events-slots]', () => {
  const [gone, other] = [world.open().connection, world.open().connection];
  for (let second = 0; second < 45; second += 1) {
    seconds(1);
    for (const one of [gone, other]) one.taken = 3 * one.heartbeats;
    // Only what was sent can be sent again.
    if (gone.heartbeats > 0) world.silent.add(gone.remote);
  }

  expect(world.closed).toEqual(['slow_consumer']);
  expect([gone.isCut, other.lastFrame]).toEqual([true, null]);
});

test('a client that acknowledges again in between stays connected (Events: slow consumer) [events-slow-consumer]', () => {
  const { connection } = world.open();
  for (let round = 0; round < 3; round += 1) {
    world.silent.add(connection.remote);
    seconds(24);
    world.silent.clear();
    seconds(1);
  }

  expect(world.closed).toEqual([]);
});

test('a revoked stream gets no queued event any more (Events: stream.authorization_revoked) [events-revoked]', () => {
  const [quick, slow] = [world.open(), world.open()];
  slow.connection.queued = 1;

  quick.session.revoke('credential_revoked');
  slow.session.revoke('events_not_enabled');

  expect(quick.connection).toMatchObject({
    isCut: false,
    lastFrame: 'event: stream.authorization_revoked\ndata: {"reason":"credential_revoked"}\n\n',
  });
  expect(slow.connection.isCut).toBe(true);
});

test('when the service stops every stream gets stream.closing with a delay, spread over the drain time (Events: draining) [events-closing]', async () => {
  const opened = many(20);

  await world.streams.drain(50);

  expect(world.streams.draining).toBe(true);
  expect(world.closed).toEqual(opened.map(() => 'draining'));
  for (const { lastFrame } of connectionsOf(opened)) {
    const after = Number(/"retry_after_ms":(\d+)/.exec(lastFrame ?? '')?.[1]);
    expect(after).toBeGreaterThanOrEqual(1_000);
    expect(after).toBeLessThanOrEqual(60_000);
  }
});

test('a stream is closed and counted once, however long its connection stays open (Events: stream.closing) [events-closing]', () => {
  const { session, connection } = world.open();
  connection.lingers = true;
  seconds(900);
  connection.queued = 1;
  seconds(60);
  session.revoke('credential_revoked');
  session.close('unavailable');

  expect(world.closed).toEqual(['max_age']);
  expect(connection.lastFrame).toContain('max_age');
});

test('a stream that was admitted before a drain and opens during it gets stream.closing (Events: draining) [events-closing]', async () => {
  const drained = world.streams.drain(0);
  const { connection } = world.open();
  expect(connection.lastFrame).toBeNull();

  await drained;
  await new Promise((resolve) => setImmediate(resolve));

  expect(connection.lastFrame).toContain('draining');
  expect(world.closed).toEqual(['draining']);
});
