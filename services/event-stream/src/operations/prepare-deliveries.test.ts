import type { EventId } from '@inventory/contracts/ids';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { endpointWith, insertsAll } from '../../test/support/endpoints.ts';
import type { LoggedEvent } from '../log/project-event.domain.ts';
import type { KeptEntry } from '../log/project-log-store.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import { type PrepareDeps, prepareDeliveries } from './prepare-deliveries.ts';

const projectId = newProjectId();

function entryAt(position: number, type: LoggedEvent['type']): KeptEntry {
  const eventId: EventId = `evt_${newRefreshId()}`;
  return { projectId, logEpoch: 1, position, eventId, type, json: '{}', appendedAtMs: position };
}

/** In-memory stores that fail when `fails` returns true. */
function world(entries: readonly KeptEntry[], fails: () => boolean) {
  const made = new Map<string, number>();
  let onAdvance = () => {};
  let endpoint: WebhookEndpoint = endpointWith({ projectId });
  const orFail = async <Value>(value: () => Value): Promise<Value> => {
    if (fails()) throw new Error('cut short');
    return value();
  };
  const deps: PrepareDeps = {
    log: {
      recentAfter: () => [],
      listAfter: (_id, position, limit) =>
        orFail(() => entries.filter((entry) => entry.position > position).slice(0, limit)),
    },
    deliveries: {
      insertMissing: (wanted) =>
        orFail(() => {
          const missing = wanted.filter(({ eventId }) => !made.has(eventId));
          for (const { eventId } of missing) made.set(eventId, (made.get(eventId) ?? 0) + 1);
          return missing.length;
        }),
      listExisting: async () => new Set(),
    },
    sending: insertsAll,
    wake() {},
    onMore() {},
    endpoints: {
      findEndpoint: async () => endpoint,
      advancePosition: (read, to) =>
        orFail(() => {
          onAdvance();
          const { nextPosition, version } = endpoint;
          if (read.nextPosition !== nextPosition || read.version !== version) return false;
          endpoint = { ...endpoint, nextPosition: to };
          return true;
        }),
    },
    eventAccess: { mayHaveEvents: async () => true },
    clock: createTestClock(),
  };
  return {
    ...{ deps, made, endpoint: () => endpoint },
    beforeAdvance(listener: () => void) {
      onAdvance = listener;
    },
    change(types: WebhookEndpoint['types']) {
      endpoint = { ...endpoint, types, version: endpoint.version + 1 };
    },
  };
}

const going = new AbortController().signal;

test('under any interruption and overlap of readers each event has one delivery and none is skipped (Events: webhooks)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('inventory.refresh.completed', 'account.balance.low'), {
        maxLength: 600,
      }),
      fc.array(fc.boolean(), { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      async (types, cuts, readers) => {
        const entries = types.map((type, index) => entryAt(index + 1, type as LoggedEvent['type']));
        const left = [...cuts];
        const { deps, made, endpoint } = world(entries, () => left.shift() ?? false);

        for (let round = 0; round <= cuts.length + 1; round += 1) {
          await Promise.allSettled(
            Array.from({ length: readers }, () => prepareDeliveries(deps, endpoint(), going)),
          );
          // An advanced position has skipped no event.
          const passed = entries.filter(({ position }) => position < endpoint().nextPosition);
          for (const { eventId, type } of passed) {
            const isWanted = type === 'inventory.refresh.completed';
            expect(made.get(eventId) ?? 0).toBe(isWanted ? 1 : 0);
          }
        }

        expect(endpoint().nextPosition).toBe(entries.length + 1);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

test('a Project that may not receive events keeps its position (Tenancy)', async () => {
  const { deps, made, endpoint } = world([entryAt(1, 'inventory.refresh.completed')], () => false);
  const eventAccess = { mayHaveEvents: async () => false };

  await prepareDeliveries({ ...deps, eventAccess }, endpoint(), going);

  expect([made.size, endpoint().nextPosition]).toEqual([0, 1]);
});

test('events of a type added while their page is read have a delivery (Events: webhooks)', async () => {
  const entries = [entryAt(1, 'inventory.refresh.completed'), entryAt(2, 'account.balance.low')];
  const { deps, made, endpoint, change, beforeAdvance } = world(entries, () => false);
  let changes = 0;
  beforeAdvance(() => {
    if (changes === 0) change(['inventory.refresh.completed', 'account.balance.low']);
    changes += 1;
  });

  await prepareDeliveries(deps, endpoint(), going);

  expect([...made.values()]).toEqual([1, 1]);
  expect(endpoint().nextPosition).toBe(3);
});
