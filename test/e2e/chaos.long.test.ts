import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import type { RefreshOutcome } from '@inventory/contracts/vocabulary';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { runOperator } from '../../services/gateway/test/support/operator-command.ts';
import { type Chance, openChance } from '../support/random-seed.ts';
import { expectBalancedBooks } from './support/books.ts';
import { type History, openHistory } from './support/history.ts';
import type { Customer } from './support/operator.ts';
import { type AcceptedRefresh, createPatientClient } from './support/patient-client.ts';
import { readLogs } from './support/read-logs.ts';
import { scenarioScope, sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const stuckMs = 90_000;
const refreshes = 50;
const patienceMs = 8_000;
const meanPauseMs = 120;
const heldBackPauseMs = 1_500;
const watchedStates = ['accepted', 'collecting', 'settling'] as const;
type States = Readonly<Record<string, number>>;

interface Plan {
  readonly scope: InventoryKey;
  readonly outcome: RefreshOutcome;
  /** Assets of a complete one. */
  readonly size: number;
}

interface Kill {
  readonly service: ServiceName;
  /** The refreshes by state just before. */
  readonly states: States;
}

let stack: TestStack;
let customer: Customer;

beforeAll(async () => {
  // Slow enough that every kill finds scans under way.
  stack = await openTestStack({
    egressIdentities: 4,
    simulator: { SIMULATOR_LATENCY_MS: '400' },
    serviceEnvironment: { 'refresh-collector': { PLATFORM_TIMEOUT_MS: '5000' } },
  });
  customer = await stack.operator.newCustomer();
});
afterAll(() => stack?.close());

/** One page, ten pages, and what is no inventory, in an order of chance. */
function plansOf(chance: Chance): Plan[] {
  const plan = (count: number, one: (serial: number) => Plan) =>
    Array.from({ length: count }, (_none, serial) => one(serial));
  return chance.shuffled([
    ...plan(26, (serial) => sized(1 + chance.below(2_000), serial)),
    ...plan(6, (serial) => sized(18_001 + chance.below(2_000), serial)),
    ...plan(8, (serial) => scenario('private', 'private', serial)),
    ...plan(4, (serial) => scenario('not-found', 'not_found', serial)),
    ...plan(3, (serial) => scenario('gateway-503', 'upstream_unavailable', serial)),
    ...plan(3, (serial) => scenario('eresult-55-twice', 'complete_changed', serial)),
  ]);
}

function sized(size: number, serial: number): Plan {
  return { scope: sizeScope(size, serial), outcome: 'complete_changed', size };
}

function scenario(name: string, outcome: RefreshOutcome, serial: number): Plan {
  const size = name === 'eresult-55-twice' ? 2_001 : 0;
  return { scope: scenarioScope(name, serial), outcome, size };
}

/** Read from the collector's records: they are there whichever service is not. */
async function readStates(): Promise<States> {
  const records = await stack.recordsOf('refresh-collector');
  const found = await records
    .collection('refreshes')
    .find({ terminal: false }, { projection: { phase: 1 } })
    .toArray();
  const states: Record<string, number> = {};
  for (const { phase } of found) {
    const state = phase === 'assembling' ? 'settling' : String(phase);
    states[state] = (states[state] ?? 0) + 1;
  }
  return states;
}

/**
 * Kills until every service was killed while some refresh was in each of the watched states. One
 * kill for all three is waited for a while, before more kills of one service are settled for.
 */
async function killEveryService(chance: Chance, history: History): Promise<Kill[]> {
  const missing = new Map(serviceNames.map((name) => [name, new Set<string>(watchedStates)]));
  const kills: Kill[] = [];
  while (missing.size > 0) {
    const sinceMs = history.nowMs();
    const kill = await waitFor(
      `a moment for the kills that are left: ${[...missing.keys()].join(', ')}`,
      async () => {
        const states = await readStates();
        const isPatient = history.nowMs() - sinceMs < patienceMs;
        const useful = [...missing].filter(([name, left]) => {
          const seen = [...left].filter((state) => (states[state] ?? 0) > 0).length;
          const isUp = stack.service(name).isReady;
          return isUp && (isPatient ? seen === left.size : seen > 0);
        });
        const [service] = useful[chance.below(useful.length)] ?? [];
        return service !== undefined && { service, states };
      },
      { everyMs: 2, withinMs: stuckMs },
    );
    await stack.service(kill.service).kill('SIGKILL');
    history.note('kill', { ...kill });
    kills.push(kill);
    const left = missing.get(kill.service);
    for (const state of watchedStates) if (kill.states[state]) left?.delete(state);
    if (left?.size === 0) missing.delete(kill.service);
    await pause(chance.below(1_000));
  }
  return kills;
}

/** Longest time that any refresh stayed in one state, by what was seen every half second. */
function watchForStuck(history: History) {
  const since = new Map<string, { state: string; sinceMs: number }>();
  let longest = { id: '', state: '', forMs: 0 };
  let ended = false;
  const done = (async () => {
    while (!ended) {
      const records = await stack.recordsOf('refresh-collector');
      const found = await records
        .collection<{ _id: string; phase: string }>('refreshes')
        .find({}, { projection: { phase: 1 } })
        .toArray();
      const nowMs = history.nowMs();
      for (const { _id: id, phase: state } of found) {
        const known = since.get(id);
        if (known?.state !== state) {
          history.note('state', { id, state });
          since.set(id, { state, sinceMs: nowMs });
        } else if (state !== 'completed' && nowMs - known.sinceMs > longest.forMs) {
          longest = { id, state, forMs: nowMs - known.sinceMs };
        }
      }
      await pause(500);
    }
  })();
  return {
    async end() {
      ended = true;
      await done;
      return longest;
    },
  };
}

test('kill -9 of every service in the middle of 50 refreshes loses none and doubles none, and the books balance to the credit', async () => {
  const chance = openChance();
  const history = openHistory('chaos', chance.seed);
  process.stderr.write(`chaos: TEST_SEED=${chance.seed}\n`);
  await history.keptOnFailure(() => survive(chance, history));
});

async function survive(chance: Chance, history: History): Promise<void> {
  const plans = plansOf(chance);
  const client = createPatientClient({
    apis: [customer.api],
    nowMs: history.nowMs,
    onAttempt: (attempt) => history.note('answer', { ...attempt }),
    giveUpAfterMs: stuckMs,
  });
  const stuck = watchForStuck(history);
  let isOver = false;
  const killing = killEveryService(chance, history).finally(() => {
    isOver = true;
  });
  killing.catch(() => {});
  const posts: Promise<AcceptedRefresh>[] = [];
  for (const { scope } of plans) {
    const post = client.refresh(scope);
    post.catch(() => {});
    posts.push(post);
    // Half of them are kept back, so that until the last kill some are just being accepted.
    const isHeldBack = posts.length > refreshes / 2 && !isOver;
    await pause(chance.below(2 * (isHeldBack ? heldBackPauseMs : meanPauseMs)));
  }
  const kills = await killing;
  const accepted = await Promise.all(posts);
  history.note('all accepted');
  await Promise.all(stack.services.map((service) => service.untilReady()));
  history.note('all up');
  await untilNoneIsLeft();
  history.note('all over');
  const longest = await stuck.end();

  for (const service of serviceNames) {
    const seen = kills.filter((kill) => kill.service === service).map(({ states }) => states);
    for (const state of watchedStates) {
      expect(`${service} ${state} ${seen.some((states) => (states[state] ?? 0) > 0)}`).toBe(
        `${service} ${state} true`,
      );
    }
  }
  expect(longest.forMs).toBeLessThanOrEqual(stuckMs);
  await expectNothingLost(plans, accepted);
}

async function untilNoneIsLeft(): Promise<void> {
  await waitFor(
    'every refresh is over and announced',
    async () => {
      const left = await readStates();
      if (Object.keys(left).length > 0) throw new Error(JSON.stringify(left));
      const records = await stack.recordsOf('refresh-collector');
      return (await records.collection('refreshes').countDocuments({ eventAppended: false })) === 0;
    },
    { withinMs: 2 * stuckMs, everyMs: 250 },
  );
}

async function expectNothingLost(
  plans: readonly Plan[],
  accepted: readonly AcceptedRefresh[],
): Promise<void> {
  const ids = accepted.map(({ refreshId }) => refreshId);
  expect(new Set(ids).size).toBe(refreshes);
  const { records } = await expectBalancedBooks(stack, customer, ids);

  const outcomeOf = new Map(records.map((record) => [record.refresh_id, record.outcome]));
  expect(ids.map((id) => outcomeOf.get(id))).toEqual(plans.map(({ outcome }) => outcome));
  for (const { key, scope, refreshId } of accepted) {
    const again = await customer.api.refresh(scope, { key });
    expect([again.status, again.json.data.refresh_id]).toEqual([202, refreshId]);
  }
  for (const { scope, size } of plans.filter(({ size: assets }) => assets > 0)) {
    const page = await customer.api.current(scope, '?page_size=1');
    expect(page.json.data.total_count).toBe(size);
  }
  const unexpected = accepted
    .flatMap(({ attempts }) => attempts)
    .filter(({ status }) => ![0, 202, 409, 503].includes(status));
  expect(unexpected).toEqual([]);

  const { operatorUrl, operatorToken } = stack;
  const environment = { OPERATOR_URL: operatorUrl, OPERATOR_TOKEN: operatorToken };
  const verified = await runOperator(environment, ['verify', '--json']);
  expect(verified).toMatchObject({ code: 0, json: { ok: true, problems: [] } });
  expect(readLogs(stack)).not.toMatch(/sent to the dead letters|too many dead letters/);
}
