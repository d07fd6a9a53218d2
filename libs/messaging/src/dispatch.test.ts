import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import type { ReceivedMessage } from './bus.ts';
import { byKey } from './dispatch.ts';

function received(key: string, index: number, type = 'refresh.cancel.v1'): ReceivedMessage {
  return {
    type,
    id: `${key}#${index}`,
    key,
    topic: 'refresh.commands.v1',
    partition: 0,
    offset: String(index),
    trace: {},
  } as ReceivedMessage;
}

test('messages of a key run in order, keys run concurrently, never more than the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      async (scheduler, keys, concurrencyMax) => {
        const batch = keys.map((key, index) => received(key, index));
        const running = new Set<string>();
        const handled: string[] = [];
        let mostAtOnce = 0;
        const onBatch = byKey(
          {
            'refresh.cancel.v1': async ({ key, id }) => {
              expect(running).not.toContain(key);
              running.add(key);
              mostAtOnce = Math.max(mostAtOnce, running.size);
              await scheduler.schedule(Promise.resolve());
              running.delete(key);
              handled.push(id);
            },
          },
          concurrencyMax,
        );

        await scheduler.waitFor(onBatch(batch));

        for (const key of new Set(keys)) {
          const wanted = batch.filter((message) => message.key === key).map(({ id }) => id);
          expect(handled.filter((id) => id.startsWith(`${key}#`))).toEqual(wanted);
        }
        expect(mostAtOnce).toBe(Math.min(concurrencyMax, new Set(keys).size));
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('a failed batch rejects only when none of its messages is running any more', async () => {
  const gate = Promise.withResolvers<void>();
  const handled: string[] = [];
  const onBatch = byKey(
    {
      'refresh.cancel.v1': async ({ key, id }) => {
        if (key === 'failing') throw new Error('store away');
        await gate.promise;
        handled.push(id);
      },
    },
    8,
  );
  let givenBack = false;
  const batch = [received('slow', 0), received('failing', 1), received('slow', 2)];
  const failure = onBatch(batch).catch(() => {
    givenBack = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  // Redelivery would otherwise run messages of the slow key concurrently.
  expect(givenBack).toBe(false);

  gate.resolve();
  await failure;

  expect([givenBack, handled]).toEqual([true, ['slow#0', 'slow#2']]);
});

test('message types of a topic that a service does not handle are ignored', async () => {
  const handled: string[] = [];
  const onBatch = byKey({ 'refresh.cancel.v1': async ({ id }) => void handled.push(id) }, 2);

  await onBatch([received('a', 0, 'refresh.request.v1'), received('a', 1)]);

  expect(handled).toEqual(['a#1']);
});
