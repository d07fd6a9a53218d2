import type { EventId } from '@inventory/contracts/ids';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.domain.ts';
import { createUnstoredPages } from './unstored-pages.ts';

const endpoint = {
  id: `whe_${newRefreshId()}`,
  accountId: newAccountId(),
  nextPosition: 1,
} as const;

function unstored(): WebhookDelivery {
  return {
    endpointId: endpoint.id,
    projectId: newProjectId(),
    eventId: `evt_${newRefreshId()}`,
    type: 'inventory.refresh.completed',
    body: '{}',
    state: 'pending',
    failure: null,
    createdAtMs: 0,
    appendedAtMs: 0,
    nextAttemptAtMs: null,
    failures: 0,
    claim: 0,
    attempts: [],
    attemptsTotal: 0,
  };
}

const step = fc.oneof(
  fc.record({ take: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ ends: fc.nat(3), isStored: fc.boolean() }),
  fc.constant({ release: true } as const),
);

test('a page ends once, when each of its deliveries is either stored or left (Events: webhooks)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(12), fc.array(step, { maxLength: 40 }), async (count, steps) => {
      const pages = createUnstoredPages(testLogger);
      const all = Array.from({ length: count }, unstored);
      const ends: (readonly WebhookDelivery[])[] = [];
      const stored = new Set<EventId>();
      let taken: WebhookDelivery[] = [];
      const end = (delivery: WebhookDelivery, isStored: boolean) => {
        taken = taken.filter((one) => one !== delivery);
        if (isStored) stored.add(delivery.eventId);
        pages.ended(delivery, isStored);
      };
      const ended = pages.add(endpoint, all, async (left) => void ends.push(left));

      for (const one of steps) {
        if ('take' in one) taken.push(...pages.take(endpoint.id, one.take));
        else if ('release' in one) pages.release(endpoint.id);
        else if (taken[one.ends]) end(taken[one.ends] as WebhookDelivery, one.isStored);
        const isDone = taken.length === 0 && pages.waiting === 0;
        expect(ends).toHaveLength(isDone ? 1 : 0);
      }
      pages.release(endpoint.id);
      for (const one of [...taken]) end(one, true);
      await pages.settled();
      await ended;

      expect(ends).toHaveLength(1);
      const left = ends[0]?.map(({ eventId }) => eventId) ?? [];
      expect([...left, ...stored].sort()).toEqual(all.map(({ eventId }) => eventId).sort());
      expect([pages.has(endpoint.id), pages.waiting]).toEqual([false, 0]);
    }),
    { numRuns: propertyRuns(300) },
  );
});
