import { systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openLifetime } from '@inventory/runtime/lifetime';
import { createMemoryQueue } from '@inventory/testkit/memory-queue';
import { testLogger } from '@inventory/testkit/namespace';
import { passingStoreErrors } from '@inventory/testkit/passing-store-errors';
import { waitFor } from '@inventory/testkit/wait-for';
import type { WaitingScan } from '../storage/waiting-scans.ts';
import { startAssemblies } from './start-assemblies.ts';

const far = 600_000;
const fault = new TypeError('no number');

/** A scan of an inventory whose lease cannot be acquired for this error. */
function failing(scopeKey: string): WaitingScan {
  const scan = { scanId: scopeKey, refreshId: null } as unknown as WaitingScan['scan'];
  return { scan, scopeKey, receivedAtMs: 0, trace: {} };
}

test('a store that is unavailable uses up no try of an assembly, which gives up after six', async () => {
  const errors = new Map<string, Error>([...passingStoreErrors, ['a fault', fault]]);
  const queue = createMemoryQueue<WaitingScan>();
  for (const name of errors.keys()) queue.add(name, failing(name), 0);
  const lifetime = openLifetime(testLogger, far);
  const acquireLease = (scopeKey: string) => Promise.reject(errors.get(scopeKey));
  const worker = { clock: systemClock, identifiers: systemIdentifiers, logger: testLogger };

  startAssemblies(
    {
      ...worker,
      scopes: { acquireLease },
      waiting: { queues: { small: queue, large: createMemoryQueue() } },
      settings: { leaseMs: far, smallScansMax: errors.size },
    } as never,
    { ...worker, lifetime },
  );

  const triesOf = () => [...queue.pending].filter(([, { tries }]) => tries > 0);
  await waitFor('each was tried and is due again', () =>
    [...queue.pending.values()].every(
      ({ dueAtMs }) => dueAtMs > 0 && dueAtMs < Date.now() + far / 2,
    ),
  );
  await lifetime.close();
  expect(triesOf().map(([name]) => name)).toEqual(['a fault']);
});
