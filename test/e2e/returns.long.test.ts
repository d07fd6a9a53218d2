import { findFreePort } from '@inventory/backends/free-port';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { pause } from '@inventory/runtime/wait';
import { openReplicaSet } from '@inventory/testkit/replica-set';
import { waitFor } from '@inventory/testkit/wait-for';
import { chosenRows } from '../support/chosen-rows.ts';
import { expectBalancedBooks } from './support/books.ts';
import {
  type Dependency,
  type FaultKind,
  type FaultyLinks,
  type FaultySet,
  faultOf,
  faultsOf,
} from './support/dependency-faults.ts';
import { openFaultyLink } from './support/faulty-link.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import { type MixedLoad, startMixedLoad } from './support/mixed-load.ts';
import { type Arrival, arrive, workKinds } from './support/new-work.ts';
import { readLogs } from './support/read-logs.ts';
import { newReadingCustomer } from './support/reading-customer.ts';
import { type Level, readLevels } from './support/service-levels.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Shorter than any pause, longer than all of them, and as long as MongoDB elects after a crash. */
const lastsMs = { short: 3_000, long: 32_000, election: 12_000 } as const;
type Duration = keyof typeof lastsMs;

/** The longest single pause of the system as it is set here. */
const longestPause = {
  handler: { name: 'between two attempts of a handler', ms: 30_000 },
  breaker: { name: 'between two probes of a circuit breaker', ms: 30_000 },
} as const;

interface Row {
  readonly dependency: Dependency;
  readonly kind: FaultKind;
  readonly duration: Duration;
}

const dependencies: readonly Dependency[] = [
  'the platform',
  'Kafka',
  ...serviceNames.map((name) => `the MongoDB of ${name}` as const),
  ...serviceNames,
];
/** Long, short, as on a chessboard; of what all services use, each fault is long. */
function isUsual({ dependency, kind, duration }: Row): boolean {
  if (kind === 'elects') return true;
  const shared = dependency === 'the platform' || dependency === 'Kafka';
  const square = dependencies.indexOf(dependency) + faultsOf(dependency).indexOf(kind);
  return duration === (shared || square % 2 === 0 ? 'long' : 'short');
}

const durationsOf = (kind: FaultKind): readonly Duration[] =>
  kind === 'elects' ? ['election'] : ['long', 'short'];
const every: readonly Row[] = dependencies.flatMap((dependency) =>
  faultsOf(dependency).flatMap((kind) =>
    durationsOf(kind).map((duration) => ({ dependency, kind, duration })),
  ),
);
const titleOf = ({ dependency, kind, duration }: Row) =>
  `${dependency} ${kind} for ${lastsMs[duration] / 1_000} s`;

/** `TEST_ROWS=.` runs each of them, which takes an hour and a half. */
const chosen = chosenRows();
const rows = every.filter((row) => (chosen ? chosen.test(titleOf(row)) : isUsual(row)));

const linkSlowMs = { platform: 1_500, kafka: 400, mongodb: 300 } as const;
const egressIdentities = 4;
const saved = sizeScope(100, 1);
const serialsPerRow = 1_000;
/** Memory and CPU at rest, over those before the first row. */
const cooldownMax = { memoryRatio: 2, cpuRatio: 3, cpu: 0.1 } as const;

let stack: TestStack;
let links: FaultyLinks;
let idleLevels: readonly Level[];
let rowsRun = 0;
const matrix: string[] = [];

beforeAll(async () => {
  const [kafka, mongodb] = [await findFreePort(), await findFreePort()];
  const link = (targetPort: () => number, slowMs: number) => openFaultyLink({ targetPort, slowMs });
  const databases = serviceNames.map(async (name) => [name, await openSet(mongodb)] as const);
  links = {
    platform: await link(() => Number(new URL(stack.simulatorUrl ?? '').port), linkSlowMs.platform),
    kafka: await link(() => kafka, linkSlowMs.kafka),
    mongodb: Object.fromEntries(await Promise.all(databases)) as FaultyLinks['mongodb'],
  };
  stack = await openTestStack({
    ownBackends: true,
    backendPorts: { kafka, mongodb },
    kafkaSettings: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${links.kafka.port}` },
    simulator: { SIMULATOR_LATENCY_MS: '200' },
    serviceEnvironment: settingsOf(links),
  });
  const customer = await newReadingCustomer(stack);
  const id = await customer.api.accepted(saved);
  await untilCompleted(customer.api, customer.projectId, [id]);
  // The first work of a process takes memory and time that no later one does.
  const load = await startMixedLoad({ stack, firstSerial: serialsPerRow, saved });
  await load.stop();
  await load.untilEnded();
  idleLevels = await readLevels(stack);
});
afterAll(async () => {
  process.stderr.write(`${['', head, ...matrix].join('\n')}\n`);
  await stack?.close();
  const sets = Object.values(links?.mongodb ?? {});
  for (const link of [links?.platform, links?.kafka, ...sets.map((one) => one.link)]) {
    await link?.close();
  }
  for (const { set } of sets) await set.close();
});

async function openSet(serverPort: number): Promise<FaultySet> {
  const link = await openFaultyLink({
    targetPort: () => set.port,
    slowMs: linkSlowMs.mongodb,
  });
  const target = `mongodb://127.0.0.1:${serverPort}/`;
  const set = await openReplicaSet({ target, advertisedPort: () => link.port });
  return { link, set };
}

/** Every pause that can be set is a fraction of the long fault. */
function settingsOf({ kafka, mongodb, platform }: FaultyLinks) {
  const own: Partial<Record<ServiceName, Readonly<Record<string, string>>>> = {
    gateway: {
      LIVE_PAGE_WAIT_MS: '7000',
      PAGE_DELIVERY_DEADLINE_MS: '10000',
      PAGE_REVERSAL_DELAY_MS: '5000',
    },
    'refresh-collector': {
      PLATFORM_EGRESS: Array.from(
        { length: egressIdentities },
        (_none, index) => `http://egress-${index + 1}:-@127.0.0.1:${platform.port}`,
      ).join(','),
      PLATFORM_TIMEOUT_MS: '5000',
      PLATFORM_CONNECT_TIMEOUT_MS: '2000',
      IDENTITY_REQUESTS_PER_MINUTE: '60',
      IDENTITY_BURST: '5',
      IDENTITY_COOLDOWN_MAX_MS: '6000',
      IDENTITY_UNREACHABLE_FIRST_MS: '1000',
      IDENTITY_UNREACHABLE_MAX_MS: '6000',
      SCAN_LEASE_MS: '5000',
      RESEND_BACKOFF_FIRST_MS: '2000',
      RESEND_BACKOFF_MAX_MS: '4000',
    },
    'revision-store': { ASSEMBLY_LEASE_MS: '5000' },
  };
  return Object.fromEntries(
    serviceNames.map((name) => [
      name,
      {
        KAFKA_BROKERS: `127.0.0.1:${kafka.port}`,
        KAFKA_SESSION_TIMEOUT_MS: '6000',
        MONGODB_URI: mongodb[name].set.uri,
        ...own[name],
      },
    ]),
  );
}

test.each(rows.map((row) => [titleOf(row), row] as const))(
  'when %s, everything returns (Refresh: Deadlines)',
  async (title, row) => {
    rowsRun += 1;
    const firstSerial = (rowsRun + 1) * serialsPerRow;
    const customers = [await newReadingCustomer(stack), await newReadingCustomer(stack)] as const;
    const load = await startMixedLoad({ stack, firstSerial, saved });
    try {
      const healthy = await arrive({
        ...{ stack, saved, customer: customers[0] },
        firstSerial: firstSerial + serialsPerRow / 2,
      });
      const fault = faultOf(stack, links, row.dependency, row.kind);
      await fault.begin();
      await pause(lastsMs[row.duration]);
      const returnedMs = performance.now();
      // The start of a process is part of its return.
      const ending = fault.end().then(() => performance.now() - returnedMs);
      const returned = await arrive({
        ...{ stack, saved, customer: customers[1] },
        firstSerial: firstSerial + serialsPerRow / 2 + 10,
      });
      const startMs = await ending;
      await load.stop();
      await load.untilEnded();
      const endedMs = performance.now() - returnedMs;
      await untilNothingIsPending();
      const levels = await untilIdle();
      note(title, { healthy, returned, startMs, endedMs, levels, load });

      expectInTime(row, healthy, returned);
      expectStatedResponses(row, load);
      for (const arrival of [healthy, returned]) {
        await expectBalancedBooks(stack, arrival.customer, arrival.refreshIds);
      }
      await expectExact(row, load);
      expect(await stack.operator.verify()).toMatchObject({ ok: true, problems: [] });
      expect(readLogs(stack)).not.toMatch(/"type":"Bug"|to the dead letters|many dead letters/);
    } finally {
      await load.stop().catch(() => undefined);
    }
  },
);

/** Charges of pages that were not delivered are undone, and every event is in its log. */
async function untilNothingIsPending(): Promise<void> {
  const intents = (await stack.recordsOf('gateway')).collection('page_intents');
  const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
  const silent = { phase: 'completed', eventAppended: false };
  await waitFor(
    'nothing is pending',
    async () => {
      const [paid, unsaid] = [intents.countDocuments(), refreshes.countDocuments(silent)];
      const left = { intents: await paid, events: await unsaid };
      if (left.intents + left.events > 0) throw new Error(JSON.stringify(left));
      return true;
    },
    { everyMs: 250 },
  );
}

/** Memory and CPU are back to their level. */
async function untilIdle(): Promise<readonly Level[]> {
  return await waitFor('memory and CPU are back to their level', async () => {
    const levels = await readLevels(stack);
    const high = levels.filter(({ cpu, residentMb }, index) => {
      const before = idleLevels[index];
      if (!before) return true;
      const { cpuRatio, memoryRatio } = cooldownMax;
      return (
        residentMb > memoryRatio * before.residentMb ||
        cpu > cpuRatio * before.cpu + cooldownMax.cpu
      );
    });
    if (high.length > 0) throw new Error(JSON.stringify({ high, idleLevels }));
    return levels;
  });
}

/** What arrives after the return is served in twice its healthy time and the longest pause. */
function expectInTime({ dependency, kind }: Row, healthy: Arrival, returned: Arrival): void {
  const byBreaker = dependency === 'the platform' && kind !== 'throttles';
  const { name, ms } = byBreaker ? longestPause.breaker : longestPause.handler;
  for (const work of workKinds) {
    const took = returned.servedMs[work];
    const limit = 2 * healthy.servedMs[work] + ms;
    const verdict = took <= limit ? 'in time' : `${Math.round(took)} ms, longest pause ${name}`;
    expect(`${work}: ${verdict}`).toBe(`${work}: in time`);
  }
}

const stated = {
  refresh: ['202', '409 idempotency_in_progress', '429', '503'],
  status: ['200', '503'],
  current: ['200', '503'],
  live_page: ['200', '429', '502', '503', '504'],
} as const;

/** Every answer is one that the contract names; without the gateway there may be none. */
function expectStatedResponses({ dependency }: Row, { responses }: MixedLoad): void {
  const unstated = [...responses].filter((response) => {
    const [operation = '', status = ''] = response.split(' ');
    if (dependency === 'gateway' && status === '0') return false;
    const known: readonly string[] = stated[operation as keyof typeof stated];
    return !known.some((one) => `${response} `.startsWith(`${operation} ${one} `));
  });
  expect(unstated).toEqual([]);
}

/** Books balance, and each saved inventory is as large as the platform's. */
async function expectExact({ dependency }: Row, load: MixedLoad): Promise<void> {
  const failures = dependency === 'the platform' ? ['upstream_unavailable', 'incomplete'] : [];
  for (const customer of load.customers) {
    const refreshes = load.refreshesOf(customer);
    const ids = refreshes.map(({ refreshId }) => refreshId);
    const { records } = await expectBalancedBooks(stack, customer, ids);
    const outcomes = new Map(records.map(({ refresh_id, outcome }) => [refresh_id, outcome]));
    for (const { refreshId, scope, size } of refreshes) {
      const outcome = outcomes.get(refreshId) ?? '';
      expect(['complete_changed', ...failures]).toContain(outcome);
      if (outcome !== 'complete_changed') continue;
      const { json } = await customer.api.current(scope, '?page_size=1');
      expect(json.data.total_count).toBe(size);
    }
  }
}

interface Measured {
  readonly healthy: Arrival;
  readonly returned: Arrival;
  /** From the return until the dependency works; a process starts first. */
  readonly startMs: number;
  /** From the return until everything that waited had ended. */
  readonly endedMs: number;
  readonly levels: readonly Level[];
  readonly load: MixedLoad;
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const head = `| Row | works | ${workKinds.join(' | ')} (healthy) | all ended | memory | CPU |`;

function note(
  title: string,
  { healthy, returned, startMs, endedMs, levels, load }: Measured,
): void {
  const served = workKinds.map(
    (work) => `${seconds(returned.servedMs[work])} (${seconds(healthy.servedMs[work])})`,
  );
  const memory = levels.map(({ residentMb, service }, index) => ({
    service,
    ratio: residentMb / (idleLevels[index]?.residentMb ?? 0),
  }));
  const [most] = memory.toSorted((left, right) => right.ratio - left.ratio);
  const cpu = Math.max(...levels.map((level) => level.cpu));
  const cells = [
    title,
    seconds(startMs),
    ...served,
    seconds(endedMs),
    `${most?.ratio.toFixed(2)} ${most?.service}`,
    cpu.toFixed(2),
  ];
  const line = `| ${cells.join(' | ')} |`;
  matrix.push(line);
  const responses = [...load.responses].toSorted().join(', ');
  process.stderr.write(`${line}\n  ${responses}\n`);
}
