import type { EventId } from '@inventory/contracts/ids';
import { newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { endpointWith } from '../../test/support/endpoints.ts';
import type { KeptEntry } from '../log/project-log-store.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.domain.ts';
import { createLogReading } from './read-logs.ts';
import { createUnstoredPages } from './unstored-pages.ts';

const projectId = newProjectId();
const going = new AbortController().signal;

function entryAt(position: number): KeptEntry {
  const event = { eventId: `evt_${newRefreshId()}`, type: 'inventory.refresh.completed' } as const;
  return { projectId, logEpoch: 1, position, ...event, json: '{}', appendedAtMs: position };
}

/** The log of one endpoint, read over lists; `mode` decides how its deliveries are made. */
function world(mode: 'send' | 'insert', { hasSlot = true } = {}) {
  const read: WebhookEndpoint = endpointWith({ projectId });
  let endpoint = read;
  const entries: KeptEntry[] = [];
  const inserted: string[] = [];
  const sent: string[] = [];
  const stale: { read: WebhookEndpoint | null } = { read: null };
  const listing = { isDone: Promise.resolve() };
  const pages = createUnstoredPages(testLogger);
  const sending = { isHeld: false };
  const [acquired, enqueued]: [string[], string[]] = [[], []];
  const onMore = { isCalled: false, isSending: false };
  const reading = createLogReading({
    log: {
      recentAfter: () => [],
      async listAfter(_id, position) {
        const listed = entries.filter((entry) => entry.position > position);
        await listing.isDone;
        return listed;
      },
    },
    endpoints: {
      listEnabledIds: async () => [endpoint.id],
      claimForReading: async () => [endpoint],
      findEndpoint: async () => endpoint,
      async advancePosition({ nextPosition: from }, nextPosition) {
        if (from !== endpoint.nextPosition) return false;
        endpoint = { ...endpoint, nextPosition };
        return true;
      },
    },
    deliveries: {
      async insertMissing(wanted) {
        inserted.push(...wanted.map(({ eventId }) => eventId));
        return wanted.length;
      },
      listExisting: async () => new Set(sent.concat(inserted)) as ReadonlySet<EventId>,
    },
    queues: {
      enqueue: async (ids) => void enqueued.push(...ids),
    },
    readEndpoints: async (ids) => (ids.length > 0 ? [stale.read ?? endpoint] : []),
    sending: {
      hasSlotFor: () => hasSlot,
      modeOf: () => mode,
      isSending: pages.has,
      send(one, deliveries, onEnd) {
        sent.push(...deliveries.map(({ eventId }) => eventId));
        const ended = pages.add(one, deliveries, onEnd);
        if (sending.isHeld) return ended;
        for (const each of pages.take(one.id, deliveries.length)) pages.ended(each, true);
        return ended;
      },
    },
    eventAccess: { mayHaveEvents: async () => true },
    async acquireAccounts(ids) {
      acquired.push(...ids);
      return new Set(ids);
    },
    clock: createTestClock(),
    readEveryMs: 30_000,
    wake() {},
    onMore(id) {
      Object.assign(onMore, { isCalled: true, isSending: pages.has(id) });
      reading.notifyEndpoint(id);
    },
  });
  /** It was disabled, and enabled after the last event of its log. */
  const skipToEnd = () => {
    endpoint = { ...endpoint, nextPosition: entries.length + 1, version: endpoint.version + 1 };
  };
  const lists = { entries, inserted, sent, acquired, enqueued };
  return { ...lists, read, reading, listing, pages, onMore, stale, sending, skipToEnd };
}

test('a replica without a slot for an endpoint leaves its account to others, which have its queue (Events: webhooks)', async () => {
  const { read, reading, entries, acquired, enqueued, inserted } = world('insert', {
    hasSlot: false,
  });
  entries.push(entryAt(1));

  reading.notify(projectId);
  await reading.readNotified(going);
  await reading.readPolled(going);

  expect([acquired, inserted]).toEqual([[], []]);
  expect(enqueued).toEqual([read.id, read.id]);
});

test('an event that is appended while the poll reads its log is read next, not by the next poll (Events: webhooks)', async () => {
  const { reading, entries, inserted, listing, onMore } = world('insert');
  const listed = Promise.withResolvers<void>();
  listing.isDone = listed.promise;
  const polled = reading.readPolled(going);
  await new Promise((resolve) => setImmediate(resolve));

  entries.push(entryAt(1));
  reading.notify(projectId);
  await reading.readNotified(going);
  listed.resolve();
  await polled;
  await reading.readNotified(going);

  expect(onMore.isCalled).toBe(true);
  expect(inserted).toEqual(entries.map(({ eventId }) => eventId));
});

test('the log is read again once a page has ended, when the next one may be sent (Events: webhooks)', async () => {
  const { reading, entries, sent, pages, onMore } = world('send');
  entries.push(entryAt(1));
  reading.notify(projectId);
  await reading.readNotified(going);
  entries.push(entryAt(2));
  await pages.settled();
  await new Promise((resolve) => setImmediate(resolve));

  expect(onMore).toEqual({ isCalled: true, isSending: false });
  await reading.readNotified(going);
  expect(sent).toEqual(entries.map(({ eventId }) => eventId));
});

test.each(['send', 'insert'] as const)(
  'a log that is read from an earlier position is read to its end (Events: webhooks, by %s)',
  async (mode) => {
    const { read, reading, entries, inserted, sent, pages, stale } = world(mode);
    entries.push(entryAt(1));
    reading.notify(projectId);
    await reading.readNotified(going);
    await pages.settled();

    // The endpoint as it was before its position advanced.
    stale.read = read;
    entries.push(entryAt(2));
    reading.notifyEndpoint(read.id);
    while (await reading.readNotified(going)) await pages.settled();
    await pages.settled();
    await new Promise((resolve) => setImmediate(resolve));
    await reading.readNotified(going);

    expect(new Set([...sent, ...inserted])).toEqual(new Set(entries.map(({ eventId }) => eventId)));
  },
);

test('what is left of a page is inserted, and not what its endpoint missed while it was disabled (Events: webhooks)', async () => {
  for (const isEnabledAgain of [false, true]) {
    const { read, reading, entries, inserted, pages, sending, skipToEnd } = world('send');
    sending.isHeld = true;
    entries.push(entryAt(1));
    reading.notify(projectId);
    await reading.readNotified(going);

    if (isEnabledAgain) skipToEnd();
    pages.release(read.id);
    await pages.settled();

    expect(inserted).toHaveLength(isEnabledAgain ? 0 : 1);
  }
});
