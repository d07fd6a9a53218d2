import { waitFor } from '@inventory/testkit/wait-for';
import { openChance } from '../support/random-seed.ts';
import { readAndCut, type SeenPage } from './support/cut-client.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { livePathOf, v1Paths } from './support/read-live.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Of an intent; undone is what is not delivered, at most this much later. */
const deadlineMs = 6_000;
const undoneWithinMs = 90_000;
const scope = sizeScope(1_500, 9_000);
const chance = openChance();
let stack: TestStack;

beforeAll(async () => {
  stack = await openTestStack({
    replicas: { gateway: 2 },
    simulator: { SIMULATOR_LATENCY_MS: '30' },
    serviceEnvironment: {
      gateway: {
        CHARGE_TIMEOUT_MS: '2000',
        PAGE_DELIVERY_DEADLINE_MS: String(deadlineMs),
        PAGE_REVERSAL_DELAY_MS: '3000',
      },
    },
  });
  const first = await stack.operator.newCustomer();
  await untilCompleted(first.api, first.projectId, [await first.api.accepted(scope)]);
});
afterAll(() => stack?.close());

const granted = 10_000;
const newReader = () => stack.operator.newCustomer({ credits: granted });

const paths = [
  livePathOf(scope),
  v1Paths.original(scope),
  v1Paths.alias(scope),
  `${livePathOf(scope)}/current`,
];

function gatewayUrl(index: number): string {
  return stack.replicasOf('gateway')[index]?.publicUrl ?? stack.gatewayUrl;
}

interface Reading {
  readonly customer: Customer;
  readonly count: number;
  /** Ends it before so many were read. */
  readonly isEnough?: (seen: readonly SeenPage[]) => boolean;
  readonly at: (index: number) => string;
  readonly cutAfterMs: () => number | null;
  readonly workers: number;
}

/** So many reads of every kind of page, a few at a time. */
async function readMany(reading: Reading): Promise<SeenPage[]> {
  const { customer, count, at, cutAfterMs, workers, isEnough = () => false } = reading;
  const seen: SeenPage[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count && !isEnough(seen)) {
      const index = next;
      next += 1;
      const path = paths[index % paths.length] ?? '';
      const apiKey = customer.secret;
      seen.push(
        await readAndCut({ gatewayUrl: at(index), path, apiKey, cutAfterMs: cutAfterMs() }),
      );
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return seen;
}

const cutsOf = (seen: readonly SeenPage[]) => seen.filter(({ isWhole }) => !isWhole).length;
const isDelivered = ({ status, bodyBytes }: SeenPage) => status === 200 && bodyBytes > 0;
const delivered = (seen: readonly SeenPage[]) => seen.filter(isDelivered).length;

/** How many pages stay charged, once nothing is left to be undone. */
async function chargedInTheEnd(customer: Customer): Promise<number> {
  const intents = (await stack.recordsOf('gateway')).collection<{ accountId: string }>(
    'page_intents',
  );
  const { accountId } = customer;
  await waitFor(
    'every intent is settled',
    async () => (await intents.countDocuments({ accountId })) === 0,
    { withinMs: deadlineMs + undoneWithinMs },
  );
  const rows = await stack.operator.statement(accountId);
  const ofKind = (kind: string) =>
    rows.filter((row) => row.kind === kind && row.changeAvailable !== 0);
  const charged = ofKind('charge').length - ofKind('reverse').length;
  const { total, held } = await stack.operator.balance(accountId);
  expect([total, held]).toEqual([granted - charged, 0]);
  return charged;
}

test(`200 clients that hang up at any moment pay for what reached them (seed ${chance.seed})`, async () => {
  const customer = await newReader();
  const common = {
    workers: 8,
    at: (index: number) => gatewayUrl(index % 2),
    cutAfterMs: () => null,
  };
  const measured: number[] = [];
  while (measured.length < 3) {
    const startMs = performance.now();
    await readMany({ ...common, customer: await newReader(), count: 40 });
    measured.push(((performance.now() - startMs) * common.workers) / 40);
  }
  const typicalMs = Math.min(...measured);

  const seen = await readMany({
    ...common,
    customer,
    count: 6_000,
    isEnough: (pages) => cutsOf(pages) >= 200,
    cutAfterMs: () => (chance.below(10) === 0 ? null : chance.below(typicalMs * 1.3)),
  });
  const charged = await chargedInTheEnd(customer);

  expect(cutsOf(seen)).toBeGreaterThanOrEqual(200);
  expect(delivered(seen)).toBeGreaterThan(20);
  // Nothing is given away while no gateway dies.
  expect(charged).toBeGreaterThanOrEqual(delivered(seen));
  // A charge is final from the first byte written: some were on their way to a client that hung up.
  expect(charged - delivered(seen)).toBeLessThanOrEqual(cutsOf(seen) / 10);
});

test('a gateway killed among its reads: no undelivered page stays charged (Charging a page read) [charging-a-page-read]', async () => {
  const customer = await newReader();
  const workers = 30;
  // Not the gateway whose operator API reports the charges.
  const [, dying] = stack.replicasOf('gateway');

  let isKilled = false;
  const undelivered = (seen: readonly SeenPage[]) => seen.filter((page) => !isDelivered(page));
  const reading = readMany({
    customer,
    count: granted,
    isEnough: (seen) => isKilled && undelivered(seen).length > 0,
    workers,
    at: () => gatewayUrl(1),
    cutAfterMs: () => null,
  });
  const charges = async () => {
    const rows = await stack.operator.statement(customer.accountId);
    return rows.filter(({ kind }) => kind === 'charge').length;
  };
  await waitFor('reads are charged', async () => (await charges()) > 50);
  await dying?.kill('SIGKILL');
  isKilled = true;
  const seen = await reading;
  const charged = await chargedInTheEnd(customer);

  expect(undelivered(seen).length).toBeGreaterThan(0);
  expect(charged).toBeLessThanOrEqual(delivered(seen));
  // At most what was written and not yet flushed when it died.
  expect(delivered(seen) - charged).toBeLessThanOrEqual(workers);
  await dying?.untilReady();
});

test('while billing is too slow nothing is charged in the end, and reads resume afterwards', async () => {
  const customer = await newReader();
  const ledger = stack.service('billing-ledger');
  const at = (index: number) => gatewayUrl(index % 2);
  const common = { customer, workers: 10, at, cutAfterMs: () => null };
  // On a busy machine billing may be too slow for one of them without being stopped.
  const untilDelivered = (wanted: number) =>
    readMany({ ...common, count: 10 * wanted, isEnough: (seen) => delivered(seen) >= wanted });
  const before = await untilDelivered(20);

  ledger.signal('SIGSTOP');
  const reading = readMany({ ...common, count: 60 });
  const refused = readAndCut({
    gatewayUrl: gatewayUrl(1),
    path: `${livePathOf(scope)}/current`,
    apiKey: customer.secret,
    cutAfterMs: null,
  });
  // Its charge waits in the topic, past the time that the reader does.
  expect((await refused).status).toBe(503);
  ledger.signal('SIGCONT');
  const during = await reading;
  const after = await untilDelivered(20);
  const charged = await chargedInTheEnd(customer);

  expect(delivered(before)).toBeGreaterThanOrEqual(20);
  expect(delivered(after)).toBeGreaterThanOrEqual(20);
  expect(charged).toBe(delivered([...before, ...during, ...after]));
  expect((await stack.operator.verify()).problems).toEqual([]);
});
