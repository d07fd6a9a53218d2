import { readFileSync } from 'node:fs';
import type { ManagedProcess } from '@inventory/backends/managed-process';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import {
  eagerRetention,
  letRecordsExpire,
} from '../../libs/messaging/test/support/let-records-expire.ts';
import { openChance } from '../support/random-seed.ts';
import { type CuttingProxy, startCuttingProxy } from './support/cutting-proxy.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { createPatientClient } from './support/patient-client.ts';
import { readProjectLog } from './support/project-log.ts';
import { sizeScope } from './support/simulator-control.ts';
import { type StreamFollower, startFollower } from './support/stream-follower.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const readers = 24;
const pacingMs = 400;
/** More would wait for a dead server only to keep the living ones busy. */
const unansweredMax = 20;
/** A dead member's partitions are given to others after that. */
const sessionTimeoutMs = 15_000;
/** A killed broker is not let back before its session is over: 9 s by default. */
const quickReturn = {
  'broker.session.timeout.ms': 3_000,
  'broker.heartbeat.interval.ms': 1_000,
} as const;
let stack: TestStack;
let network: CuttingProxy;
let customer: Customer;
let followers: readonly StreamFollower[] = [];
let serial = 0;

beforeAll(async () => {
  const chance = openChance();
  process.stderr.write(`stream chaos: TEST_SEED=${chance.seed}\n`);
  stack = await openTestStack({
    ownBackends: true,
    kafkaSettings: { ...eagerRetention, ...quickReturn },
    replicas: { gateway: 2 },
    // The slots on a killed gateway are free after its lease.
    serviceEnvironment: { gateway: { STREAMS_PER_PROJECT_MAX: String(2 * readers) } },
  });
  // As a balancer: only to gateways that are up.
  const targets = () =>
    stack
      .replicasOf('gateway')
      .filter(({ isReady }) => isReady)
      .map(({ publicUrl }) => publicUrl ?? '');
  network = await startCuttingProxy({ targets, chance, lifeMeanMs: null });
  customer = await stack.operator.newCustomer();
  const { accountId, projectId } = customer;
  await stack.operator.switchEvents(accountId, true);
  const scopes = ['*', 'customer.events.read.v1'];
  const { secret: apiKey } = await stack.operator.newCredential(projectId, { scopes });
  followers = Array.from({ length: readers }, () =>
    startFollower({ url: network.url, projectId, apiKey }),
  );
  await waitFor('every reader has its first position', () =>
    followers.every((one) => one.hasPosition()),
  );
});
afterAll(async () => {
  await Promise.all(followers.map((one) => one.stop()));
  await network?.close();
  await stack?.close();
});

/** Refreshes at a steady pace, each sent until it is taken, while something happens. */
async function underLoad(work: () => Promise<void>): Promise<string[]> {
  const startMs = performance.now();
  const client = createPatientClient({
    apis: [customer.api],
    nowMs: () => performance.now() - startMs,
    onAttempt: () => undefined,
    giveUpAfterMs: 90_000,
  });
  const posts: Promise<string>[] = [];
  const load = { ended: false, unanswered: 0 };
  const post = async () => {
    serial += 1;
    load.unanswered += 1;
    const { refreshId } = await client.refresh(sizeScope(3, serial));
    load.unanswered -= 1;
    return refreshId;
  };
  const posting = (async () => {
    while (!load.ended) {
      if (load.unanswered < unansweredMax) posts.push(post());
      await pause(pacingMs);
    }
  })();
  try {
    await work();
  } finally {
    load.ended = true;
    await posting;
  }
  return await Promise.all(posts);
}

/** The longest that any reader went without an event after this moment. */
function longestGapSince(sinceMs: number): number {
  return Math.max(
    ...followers.map(({ applied }) => {
      const times = applied.map(({ atMs }) => atMs).filter((atMs) => atMs >= sinceMs);
      const from = [sinceMs, ...times];
      return Math.max(...times.map((atMs, index) => atMs - (from[index] ?? sinceMs)));
    }),
  );
}

const appliedSince = (sinceMs: number) =>
  followers.map(({ applied }) => applied.filter(({ atMs }) => atMs >= sinceMs).length);

async function untilLogged(refreshIds: readonly string[]): Promise<void> {
  await waitFor(
    'every refresh is in the log',
    async () => {
      const log = await readProjectLog(stack, customer.projectId);
      const logged = new Set(log.map(({ refreshId }) => refreshId));
      const missing = refreshIds.filter((id) => !logged.has(id)).length;
      if (missing > 0) throw new Error(`${missing} are missing`);
      return true;
    },
    { everyMs: 250 },
  );
}

async function expectLogApplied(): Promise<void> {
  const stored = await waitFor(
    'every reader applied as much as the log holds',
    async () => {
      const log = await readProjectLog(stack, customer.projectId);
      const counts = followers.map(({ applied }) => applied.length);
      if (counts.some((count) => count < log.length)) throw new Error(`${log.length}: ${counts}`);
      return log;
    },
    { everyMs: 250 },
  );
  for (const { applied, failure } of followers) {
    expect(failure()).toBeUndefined();
    expect(applied.map(({ event }) => event.id)).toEqual(stored.map(({ eventId }) => eventId));
  }
  expect(stored.map(({ position }) => position)).toEqual(stored.map((_one, index) => index + 1));
}

const killed: readonly (readonly [string, number, () => ManagedProcess | null | undefined])[] = [
  ['a gateway', 10_000, () => stack.replicasOf('gateway')[1]],
  ['the event-stream', sessionTimeoutMs + 15_000, () => stack.service('event-stream')],
  ['the broker', sessionTimeoutMs + 15_000, () => stack.kafka],
];

test.each(killed)(
  'kill -9 of %s under load: every reader gets every event once and in order, with no gap over %i ms',
  async (name, gapMaxMs, victim) => {
    let killedAtMs = 0;
    const accepted = await underLoad(async () => {
      const startMs = Date.now();
      await waitFor('events flow', () => appliedSince(startMs).every((count) => count >= 3));
      killedAtMs = Date.now();
      await victim()?.kill('SIGKILL');
      await waitFor(
        'events flow again',
        () => appliedSince(killedAtMs + 3_000).every((count) => count >= 5),
        { withinMs: gapMaxMs + 30_000 },
      );
    });
    await untilLogged(accepted);

    await expectLogApplied();
    const gapMs = longestGapSince(killedAtMs);
    process.stderr.write(`${name}: longest gap ${gapMs} ms\n`);
    expect(gapMs).toBeLessThanOrEqual(gapMaxMs);
  },
);

test('an event-stream that was down for longer than its topic keeps records gets what it missed from the collector, each event once and in order, and is ready again by itself (Events)', async () => {
  const startMs = performance.now();
  const eventStream = stack.service('event-stream');
  await eventStream.stop();
  const ids = await Promise.all(
    Array.from({ length: 5 }, () => {
      serial += 1;
      return customer.api.accepted(sizeScope(3, serial));
    }),
  );
  await untilCompleted(customer.api, customer.projectId, ids);
  const { kafkaBrokers, topicPrefix } = stack;
  const expired = await letRecordsExpire(
    kafkaBrokers.split(','),
    topicPrefix,
    'refresh.outcomes.v1',
  );
  const expiredMs = performance.now();
  await eventStream.start();
  const readyMs = performance.now();
  await untilLogged(ids);
  await expectLogApplied();

  const times = [expiredMs, readyMs, performance.now()].map((atMs) => Math.round(atMs - startMs));
  process.stderr.write(`${expired} expired, ready, healed after ${times.join(', ')} ms\n`);
  expect(expired).toBeGreaterThanOrEqual(ids.length);
  expect(readFileSync(eventStream.logFile, 'utf8')).toContain('records expired before consumption');
  expect((await fetch(`${eventStream.url}/readyz`)).status).toBe(200);
});
