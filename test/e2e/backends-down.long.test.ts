import { readFileSync } from 'node:fs';
import type { ManagedProcess } from '@inventory/backends/managed-process';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { refusalCodes } from '@inventory/contracts/refusal-codes';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { expectBalancedBooks } from './support/books.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import {
  type AcceptedRefresh,
  type Attempt,
  attemptOf,
  createPatientClient,
} from './support/patient-client.ts';
import { sizeScope } from './support/simulator-control.ts';
import { canMount, type SmallDisk } from './support/small-disk.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const saved = sizeScope(100, 1);
const recoveryMs = 90_000;
/** Long enough that requests meet their deadlines, not only broken connections. */
const outageMs = 12_000;
/** The longest pause between two attempts: that of a handler. */
const pauseMaxMs = 30_000;
const fullDiskMs = pauseMaxMs + 10_000;
const hasDisks = canMount();
const withDisks = hasDisks ? test : test.skip;
/** Of Kafka's data a fraction of this is used; MongoDB allocates its journal before it writes it. */
const diskSizes = { 'data/kafka': 192, 'data/mongodb': 400, logs: 16 } as const;
type Disk = keyof typeof diskSizes;
/** For work under way: nothing that waits during an outage may pile up. */
const memoryGrowthMax = 192 * 1024 * 1024;
/** Between two requests of one kind. */
const pacingMs = 250;
let stack: TestStack;
let customer: Customer;
let settled: string;
/** From the request of a refresh to its end, in a healthy system. */
let healthyMs: number;
const accepted: string[] = [];

beforeAll(async () => {
  stack = await openTestStack({
    ownBackends: true,
    disks: hasDisks ? diskSizes : {},
    simulator: { SIMULATOR_LATENCY_MS: '300' },
    serviceEnvironment: {
      gateway: { PAGE_DELIVERY_DEADLINE_MS: '10000', PAGE_REVERSAL_DELAY_MS: '5000' },
    },
  });
  customer = await stack.operator.newCustomer();
  const startMs = performance.now();
  settled = await customer.api.accepted(saved);
  await untilCompleted(customer.api, customer.projectId, [settled]);
  healthyMs = performance.now() - startMs;
});
afterAll(() => stack?.close());

/** Requests of three kinds for as long as the load runs, and refreshes that are sent until taken. */
function startLoad(firstSerial: number) {
  const startMs = performance.now();
  const nowMs = () => performance.now() - startMs;
  const attempts: Attempt[] = [];
  const onAttempt = (attempt: Attempt) => attempts.push(attempt);
  const client = createPatientClient({
    apis: [customer.api],
    nowMs,
    onAttempt,
    giveUpAfterMs: fullDiskMs + recoveryMs,
    // SecantusDB answers with its own error for some seconds; MongoDB ends.
    alsoPassing: endsAtPanic() ? [] : [500],
  });
  const posts: Promise<AcceptedRefresh>[] = [];
  let ended = false;
  async function repeat(work: (round: number) => void): Promise<void> {
    for (let round = 0; !ended; round += 1) {
      work(round);
      await pause(pacingMs);
    }
  }
  const reads: Promise<unknown>[] = [];
  const read = (operation: 'status' | 'current', call: Parameters<typeof attemptOf>[2]) =>
    reads.push(attemptOf(operation, nowMs, call).then(({ attempt }) => onAttempt(attempt)));
  const loops = [
    repeat(() => void read('status', () => customer.api.status(settled))),
    repeat(() => void read('current', () => customer.api.current(saved, '?page_size=10'))),
    repeat((round) => {
      if (round % 3 === 0) posts.push(client.refresh(scopeOf(firstSerial + round)));
    }),
  ];
  return {
    nowMs,
    attempts,
    async end(): Promise<void> {
      ended = true;
      await Promise.all(loops);
      accepted.push(...(await Promise.all(posts)).map(({ refreshId }) => refreshId));
      await Promise.all(reads);
    },
  };
}

type Load = ReturnType<typeof startLoad>;

/** One page; of every tenth three. */
function scopeOf(serial: number): InventoryKey {
  return sizeScope(serial % 10 === 0 ? 4_100 : 1 + ((serial * 97) % 600), serial);
}

type Readiness = 'ok' | 'degraded' | 'failing';

/** 200 while a service serves requests, 503 while it serves none. Rejects while one reports another. */
async function allReport(wanted: Readiness): Promise<true> {
  const responses = await Promise.all(
    stack.services.map(async ({ url }) => {
      const response = await fetch(`${url}/readyz`);
      const { status, problems } = (await response.json()) as {
        readonly status: Readiness;
        readonly problems: readonly string[];
      };
      expect(response.status).toBe(status === 'failing' ? 503 : 200);
      return { status, problems };
    }),
  );
  if (responses.every(({ status }) => status === wanted)) return true;
  throw new Error(JSON.stringify(responses));
}

/** Resident bytes of every service. */
function readMemory(): Promise<number[]> {
  return Promise.all(
    stack.services.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_memory_usage (\S+)/m.exec(text)?.[1]);
    }),
  );
}

function processIds(): (number | null)[] {
  return stack.services.map(({ pid }) => pid);
}

/** Deadlines of the gateway, by its README, and what a busy machine adds. */
const slackMs = 8_000;
const longestMs: Readonly<Record<Attempt['operation'], number>> = {
  status: 6_000 + slackMs,
  refresh: 5_000 + 10_000 + slackMs,
  current: 5_000 + 5_000 + 5_000 + slackMs,
};

interface Outage {
  readonly attempts: readonly Attempt[];
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Trouble {
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
  readonly lastsMs: number;
  /** By every service. */
  readonly reported: Readiness;
}

function noServer(server: ManagedProcess | null, reported: Readiness): Trouble {
  if (!server) throw new Error('the stack does not own that server');
  const begin = () => server.stop('SIGKILL');
  return { begin, end: () => server.start(), lastsMs: outageMs, reported };
}

function fullDisks(names: readonly Disk[], reported: Readiness): Trouble {
  const each = async (work: (disk: SmallDisk) => void) =>
    names.flatMap((name) => stack.disks.get(name) ?? []).forEach(work);
  return {
    begin: () => each((disk) => disk.fill()),
    end: () => each((disk) => disk.free()),
    lastsMs: fullDiskMs,
    reported,
  };
}

/** Lets the trouble begin under load and end; everything that was answered meanwhile. */
async function outageOf(trouble: Trouble, firstSerial: number): Promise<Outage> {
  const load = startLoad(firstSerial);
  const outage = await beginAndEnd(trouble, load).catch(async (error: unknown) => {
    // A load that continues would keep the run from ending; the first failure is reported.
    await trouble.end().catch(() => undefined);
    await load.end().catch(() => undefined);
    throw error;
  });
  await load.end();
  return outage;
}

async function beginAndEnd(trouble: Trouble, load: Load): Promise<Outage> {
  const { begin, end, lastsMs, reported } = trouble;
  await waitFor('some refreshes are under way', () => load.nowMs() > 3_000);
  const processes = processIds();
  const memory = await readMemory();
  await begin();
  await waitFor(`every service reports ${reported}`, () => allReport(reported));
  const fromMs = load.nowMs();
  await waitFor('the outage is over', () => load.nowMs() - fromMs > lastsMs, {
    withinMs: lastsMs + 1_000,
  });
  const untilMs = load.nowMs();
  await end();
  await waitFor('every service is ready again', () => allReport('ok'), {
    withinMs: recoveryMs,
    everyMs: 200,
  });
  process.stderr.write(`ready again after ${Math.round(load.nowMs() - untilMs)} ms\n`);
  expect(processIds()).toEqual(processes);
  for (const [index, bytes] of (await readMemory()).entries()) {
    expect(bytes).toBeLessThan((memory[index] ?? 0) + memoryGrowthMax);
  }
  return { attempts: load.attempts, fromMs, untilMs };
}

/** Every answer is one that the contract names for this, in time and with the time to come back. */
function expectStatedResponses({ attempts }: Outage): void {
  const stated = { status: [200], refresh: [202], current: [200] } as const;
  for (const attempt of attempts) {
    const { operation, status, code, retryAfter, tookMs } = attempt;
    const response = `${operation} ${status} ${code}`;
    if (status === 503) {
      expect(response).toMatch(/503 (service_unavailable|billing_unavailable)$/);
      expect(retryAfter).toMatch(/^[1-9][0-9]?$/);
    } else if (status === 500 && !endsAtPanic()) {
      expect(response).toMatch(/500 internal_error$/);
    } else if (status === refusalCodes.idempotency_in_progress.status) {
      expect(response).toBe('refresh 409 idempotency_in_progress');
    } else {
      expect(`${response} expected ${stated[operation]}`).toBe(
        `${operation} ${stated[operation]} null expected ${stated[operation]}`,
      );
    }
    expect(`${response}: ${tookMs <= longestMs[operation] ? 'in time' : tookMs}`).toBe(
      `${response}: in time`,
    );
  }
}

/** Responses to requests that began well inside the outage. */
function duringOutage({ attempts, fromMs, untilMs }: Outage, operation: Attempt['operation']) {
  const settleMs = 1_000;
  const inside = attempts.filter(
    (attempt) =>
      attempt.operation === operation &&
      attempt.atMs > fromMs + settleMs &&
      attempt.atMs + attempt.tookMs < untilMs,
  );
  return new Set(inside.map(({ status, code }) => code ?? status));
}

/** SecantusDB answers with its own error until it is ended. */
function endsAtPanic(): boolean {
  return !stack.origin.mongodb.startsWith('SecantusDB');
}

/** What could not be written while there was no space was written afterwards, and no line is torn. */
function expectWholeLogs(): void {
  for (const { logFile } of stack.services) {
    const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  }
}

/** Everything that waited ends, and new work takes what it took before. */
async function expectNothingLost(): Promise<void> {
  await untilCompleted(customer.api, customer.projectId, accepted);
  const fresh = await customer.api.accepted(sizeScope(100, 10_000 + accepted.length));
  accepted.push(fresh);
  await waitFor(
    'a new refresh is completed in twice its time and the longest pause',
    async () => (await customer.api.record(fresh)).state === 'completed',
    { withinMs: 2 * healthyMs + pauseMaxMs },
  );
  const ids = [settled, ...accepted];
  await waitFor(
    'charges of pages that were not delivered are undone, and every event is logged',
    async () => {
      const intents = (await stack.recordsOf('gateway')).collection('page_intents');
      const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
      const silent = { terminal: true, eventAppended: false };
      return (
        (await intents.countDocuments()) === 0 && (await refreshes.countDocuments(silent)) === 0
      );
    },
    { withinMs: recoveryMs, everyMs: 250 },
  );
  const { records } = await expectBalancedBooks(stack, customer, ids);
  expect(new Set(records.map(({ outcome }) => outcome))).toEqual(new Set(['complete_changed']));
  expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
}

test('without Kafka reads continue, other requests are answered 503 with Retry-After, and nothing is lost', async () => {
  const outage = await outageOf(noServer(stack.kafka, 'degraded'), 1_000);

  expectStatedResponses(outage);
  expect(duringOutage(outage, 'status')).toEqual(new Set([200]));
  expect(duringOutage(outage, 'current')).toEqual(new Set(['billing_unavailable']));
  expect(duringOutage(outage, 'refresh')).toEqual(new Set(['service_unavailable']));
  await expectNothingLost();
});

test('without MongoDB every request is answered 503 with Retry-After, and nothing is lost', async () => {
  const outage = await outageOf(noServer(stack.mongodb, 'failing'), 2_000);

  expectStatedResponses(outage);
  for (const operation of ['status', 'current', 'refresh'] as const) {
    expect(duringOutage(outage, operation)).toEqual(new Set(['service_unavailable']));
  }
  await expectNothingLost();
});

withDisks(
  "with Kafka's and the logs' disks full it is as without Kafka, and no service ends",
  async () => {
    const outage = await outageOf(fullDisks(['data/kafka', 'logs'], 'degraded'), 3_000);

    expectStatedResponses(outage);
    expect(duringOutage(outage, 'status')).toEqual(new Set([200]));
    await expectNothingLost();
    expectWholeLogs();
  },
);

withDisks('with every disk full it is as without MongoDB, and no service ends', async () => {
  const every = fullDisks(['data/mongodb', 'logs', 'data/kafka'], 'failing');
  const mongodb = fullDisks(['data/mongodb'], 'failing');
  const outage = await outageOf(
    {
      ...every,
      // Without Kafka nothing is written, and MongoDB continues on a full disk.
      begin: async () => {
        await mongodb.begin();
        await waitFor('MongoDB has ended', () => allReport('failing'));
        await every.begin();
      },
    },
    4_000,
  );

  expectStatedResponses(outage);
  for (const operation of ['status', 'current', 'refresh'] as const) {
    expect(duringOutage(outage, operation)).toEqual(new Set(['service_unavailable']));
  }
  await expectNothingLost();
  expectWholeLogs();
});
