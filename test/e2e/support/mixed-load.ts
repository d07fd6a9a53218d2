import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { pause } from '@inventory/runtime/wait';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './follow-refresh.ts';
import { requestLivePage } from './live-chain.ts';
import type { Customer } from './operator.ts';
import { type AcceptedRefresh, attemptOf, createPatientClient } from './patient-client.ts';
import { newReadingCustomer, type ReadingCustomer } from './reading-customer.ts';
import { sizeScope } from './simulator-control.ts';
import { startFollower } from './stream-follower.ts';
import type { TestStack } from './test-stack.ts';

export interface PlannedRefresh extends AcceptedRefresh {
  readonly size: number;
}

/** One customer reads a large inventory; another one refreshes and reads all the time. */
export interface MixedLoad {
  readonly customers: readonly [Customer, Customer];
  /** `operation status code`, each once. */
  readonly responses: ReadonlySet<string>;
  refreshesOf(customer: Customer): readonly PlannedRefresh[];
  /** Ends new requests; resolves once each refresh was accepted. */
  stop(): Promise<void>;
  /** Every accepted refresh is completed, and its event was read on the stream. */
  untilEnded(): Promise<void>;
}

export interface MixedLoadOptions {
  readonly stack: TestStack;
  /** Inventories from this serial number on are its own. */
  readonly firstSerial: number;
  readonly saved: InventoryKey;
}

const largeAssets = 59_000;
const queuedAtOnce = 8;
const refreshEveryMs = 1_000;
const readEveryMs = 500;
/** More would wait for a service only to keep it busy. */
const unansweredMax = 40;
/** Longer than any fault and what follows it. */
const patienceMs = 240_000;

/** Resolves while the large inventory is being read. */
export async function startMixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const { stack, firstSerial, saved } = options;
  const nowMs = () => performance.now();
  const [collector, many] = await Promise.all([
    stack.operator.newCustomer(),
    newReadingCustomer(stack),
  ]);
  const follower = startFollower({
    url: stack.gatewayUrl,
    projectId: many.projectId,
    apiKey: many.secret,
  });
  await waitFor('the stream has its position', () => follower.hasPosition());
  const responses = new Set<string>();
  const refreshes = new Map<Customer, PlannedRefresh[]>([
    [collector, []],
    [many, []],
  ]);
  const waiting = new Set<Promise<void>>();
  let isEnded = false;
  let serial = firstSerial;

  function post(customer: Customer, size: number): void {
    const client = createPatientClient({
      apis: [customer.api],
      nowMs,
      onAttempt: ({ status, code }) => responses.add(`refresh ${status} ${code ?? ''}`.trim()),
      giveUpAfterMs: patienceMs,
    });
    serial += 1;
    const posting = client.refresh(sizeScope(size, serial)).then((accepted) => {
      refreshes.get(customer)?.push({ ...accepted, size });
      waiting.delete(posting);
    });
    posting.catch(() => undefined);
    waiting.add(posting);
  }

  async function repeat(everyMs: number, work: () => void): Promise<void> {
    while (!isEnded) {
      if (waiting.size < unansweredMax) work();
      await pause(everyMs);
    }
  }

  const reads = readsOf(many, saved, responses, () => refreshes.get(many)?.at(-1)?.refreshId);
  post(collector, largeAssets);
  for (let count = 0; count < queuedAtOnce; count += 1) post(many, smallSize(serial));
  const records = (await stack.recordsOf('refresh-collector')).collection('refreshes');
  await waitFor('the large inventory is being read', async () => {
    const { accountId } = collector;
    return (await records.countDocuments({ accountId, 'scan.pages': { $gte: 2 } })) > 0;
  });
  const loops = [
    repeat(refreshEveryMs, () => post(many, smallSize(serial))),
    repeat(readEveryMs, reads.next),
  ];
  const accepted = (customer: Customer) => refreshes.get(customer) ?? [];
  return {
    customers: [collector, many],
    responses,
    refreshesOf: accepted,
    async stop() {
      isEnded = true;
      await Promise.all(loops);
      await Promise.all(waiting);
      await reads.done();
    },
    async untilEnded() {
      for (const customer of [collector, many]) {
        const ids = accepted(customer).map(({ refreshId }) => refreshId);
        await untilCompleted(customer.api, customer.projectId, ids);
      }
      const wanted = new Set(accepted(many).map(({ refreshId }) => refreshId));
      await waitFor('the stream has given each event', () => {
        const given = follower.applied.flatMap(({ event }) =>
          event.type === 'inventory.refresh.completed' ? [event.data.refresh_id] : [],
        );
        expect(given).toHaveLength(wanted.size);
        expect(new Set(given)).toEqual(wanted);
        return true;
      });
      expect(follower.failure()).toBeUndefined();
      await follower.stop();
    },
  };
}

/** One page; of every tenth three. */
function smallSize(serial: number): number {
  return serial % 10 === 0 ? 4_100 : 1 + ((serial * 97) % 600);
}

/** Reads of three kinds in turn, whatever they are answered with. */
function readsOf(
  { api }: ReadingCustomer,
  saved: InventoryKey,
  responses: Set<string>,
  latest: () => string | undefined,
) {
  const nowMs = () => performance.now();
  const reading = new Set<Promise<void>>();
  let round = 0;
  const kinds = [
    ['status', () => api.status(latest() ?? '')],
    ['current', () => api.current(saved, '?page_size=10')],
    ['live_page', () => requestLivePage(api, saved)],
  ] as const;
  return {
    next() {
      const [operation, call] = kinds[round % kinds.length] ?? kinds[0];
      round += 1;
      if (operation === 'status' && latest() === undefined) return;
      const read = attemptOf(operation, nowMs, call).then(({ attempt: { status, code } }) => {
        responses.add(`${operation} ${status} ${code ?? ''}`.trim());
        reading.delete(read);
      });
      reading.add(read);
    },
    done: () => Promise.all(reading),
  };
}
