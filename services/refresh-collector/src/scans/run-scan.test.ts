import { createLogger } from '@inventory/runtime/logger';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import { createTestClock } from '@inventory/testkit/test-clock';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import type { SlotResult } from '../egress/egress-identity.domain.ts';
import type { PlatformClient } from '../egress/platform-client.ts';
import type { Refresh } from '../refreshes/refresh.domain.ts';
import { advance } from '../refreshes/refresh-saga.domain.ts';
import { runScan, type ScanDeps } from './run-scan.ts';

const clock = createTestClock();
const far = 600_000;

function collecting(): Refresh {
  const queued = acceptedRefresh({ phase: 'queued' });
  const started = advance(queued, {
    fact: 'scan_started',
    atMs: clock.now(),
    deadlineMs: clock.now() + far,
    sequence: 1,
    worker: 'a',
    expectedPages: null,
  });
  if (started.step !== 'changed') throw new Error(started.step);
  return started.next;
}

/** A scan whose page requests are answered by `fetchPage`. */
function openScan(fetchPage: PlatformClient['fetchPage']) {
  const saved: Refresh[] = [];
  const released: SlotResult[] = [];
  const refresh = collecting();
  const unused = () => Promise.reject(new Error('unused'));
  const deps: ScanDeps = {
    saga: {
      refreshes: {
        insertRefresh: unused,
        findRefresh: unused,
        cachedRefresh: () => null,
        cacheRefresh: () => {},
        readKeyState: unused,
        readStagedPages: async () => [],
        saveStep: async (_previous, next) => saved.push(next) > 0,
      },
      publish: unused,
      clock,
      onChanged: () => {},
      sendFromOutbox: async () => {},
    },
    egress: {
      identities: [{ id: 'a', dispatcher: undefined as never }],
      pool: {
        acquire: async () => ({
          identityId: 'a',
          release: async (result) => void released.push(result),
        }),
        restIdentity: async () => {},
        freeInMs: async () => 0,
        identityStates: async () => [],
        waiting: 0,
      },
      platform: { fetchPage, timeoutMsFor: () => far },
      breakers: {
        isOpen: () => false,
        scanAllowance: unused as never,
        openUntilMs: () => 0,
        openCount: 0,
        admits: async () => true,
        trackRequest: () => async () => {},
        update: async () => {},
      },
      executor: createSerialExecutor(),
      onReleaseFailed: () => {},
      onAnswer: () => {},
      monotonicNow: () => 0,
    },
    revisionStore: { textOf: unused, stagePage: unused },
    rules: {
      pagesMax: 250,
      triesMax: 5,
      throttledMax: 6,
      retryMs: 1,
      duplicateRetryMs: 1,
      count: 2_000,
      smallerCount: 1_000,
    },
    clock,
    logger: createLogger({ service: 'test', level: 'silent' }),
  };
  const { signal } = new AbortController();
  const hold = { signal, ending: signal, isHeld: () => true };
  const claimed = { refresh, trace: {}, epoch: 1, pages: [] };
  return { saved, released, run: () => runScan(deps, claimed, hold) };
}

describe('an error while a page is read', () => {
  const faults = [
    new RangeError('Maximum call stack size exceeded'),
    new TypeError('undefined is no function'),
    new MongoServerError({ message: 'the document is too large', code: 10_334 }),
  ];

  it.each(faults)('ends the scan at once, its hold released: %s', async (error) => {
    const scan = openScan(() => Promise.reject(error));

    await scan.run();

    expect(scan.saved).toMatchObject([{ phase: 'settling', outcome: 'internal_failure' }]);
  });

  it('releases the slot of its request', async () => {
    const body = Buffer.from('{}');
    const answer = { status: 403, body, retryAfterMs: null };
    const broken = new Proxy(answer, {
      get: (target, name) => {
        if (name === 'retryAfterMs') throw new TypeError('broken');
        return Reflect.get(target, name);
      },
    });
    const scan = openScan(async () => broken);

    await scan.run();

    expect(scan.released).toEqual([{ result: 'unknown' }]);
    expect(scan.saved).toMatchObject([{ outcome: 'internal_failure' }]);
  });

  it.each([
    new MongoNetworkError('no connection'),
    new MongoServerError({ message: 'not primary', code: 10_107 }),
  ])('leaves the scan to another worker where the database is unavailable: %s', async (error) => {
    const scan = openScan(() => Promise.reject(error));

    await expect(scan.run()).rejects.toBe(error);
    expect(scan.saved).toEqual([]);
  });
});
