import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Refused } from '@inventory/http/refused';
import { createLogger } from '@inventory/runtime/logger';
import { createSerialExecutor } from '@inventory/runtime/serial-executor';
import { only } from '@inventory/testkit/only';
import { passingStoreErrors, serverError } from '@inventory/testkit/passing-store-errors';
import { createTestClock } from '@inventory/testkit/test-clock';
import { MongoInvalidArgumentError } from 'mongodb';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import type { SlotResult } from '../egress/egress-identity.domain.ts';
import type { EgressPool } from '../egress/egress-pool.ts';
import type { Egress } from '../egress/open-egress.ts';
import type { PlatformClient } from '../egress/platform-client.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { advance } from '../saga/refresh-saga.domain.ts';
import type { RefreshStore } from '../saga/refresh-store.ts';
import type { PageStaging } from './page-staging.ts';
import { runScan, type ScanHold } from './run-scan.ts';
import type { Scans } from './scans.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

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

interface ScanChanges {
  readonly stored?: () => Refresh;
  readonly saveStep?: RefreshStore['saveStep'];
  readonly staging?: PageStaging;
  readonly acquire?: EgressPool['acquire'];
  /** Its start, which is being written. */
  readonly starting?: Promise<Refresh | null>;
}

/** A scan whose page requests are served by `fetchPage`. */
function openScan(fetchPage: PlatformClient['fetchPage'], changes: ScanChanges = {}) {
  const saved: Refresh[] = [];
  const released: SlotResult[] = [];
  const refresh = collecting();
  const unused = () => Promise.reject(new Error('unused'));
  const readEpoch = async () => '76561198000000000/730/2/0';
  const refreshes = only<RefreshStore>({
    findRefresh: async () => changes.stored?.() ?? refresh,
    cachedRefresh: () => null,
    readStagedPages: async () => [],
    saveStep: async (previous, next, page) => {
      const isSaved = (await changes.saveStep?.(previous, next, page)) ?? true;
      return isSaved && saved.push(next) > 0;
    },
  });
  const egress = only<Egress>({
    identities: [{ id: 'a', dispatcher: undefined as never }],
    pool: only({
      acquire:
        changes.acquire ??
        (async () => ({
          identityId: 'a',
          release: async (result) => void released.push(result),
        })),
      coolDownIdentity: async () => {},
    }),
    platform: { fetchPage, timeoutMsFor: () => far },
    breakers: only({ admits: async () => true, trackRequest: () => async () => {} }),
    executor: createSerialExecutor(),
    onReleaseFailed: () => {},
    onResponse: () => {},
    monotonicNow: () => 0,
  });
  const scans = only<Scans>({
    saga: only({ refreshes, publish: unused, clock, entered: () => {}, logger }),
    egress,
    staging: changes.staging ?? { textOf: unused, readEpoch, stagePage: unused },
    config: only<Scans['config']>({
      pages: {
        triesMax: 5,
        throttledMax: 6,
        retryMs: 1,
        duplicateRetryMs: 1,
        count: 2_000,
        smallerCount: 1_000,
      },
      scheduling: only({ pagesMax: 250 }),
    }),
  });
  const { signal } = new AbortController();
  const hold = only<ScanHold>({ signal, ending: signal, isHeld: () => true });
  const { starting } = changes;
  const claimed = { refresh, trace: {}, epoch: 1, pages: [], ...(starting ? { starting } : {}) };
  return { saved, released, run: () => runScan(scans, claimed, hold) };
}

describe('an error while a page is read', () => {
  const faults = [
    new RangeError('Maximum call stack size exceeded'),
    new TypeError('undefined is no function'),
    serverError({ code: 10_334 }),
    new MongoInvalidArgumentError('the document is larger than 16777216'),
  ];

  it.each(faults)('ends the scan at once, its hold released: %s', async (error) => {
    const scan = openScan(() => Promise.reject(error));

    await scan.run();

    expect(scan.saved).toMatchObject([{ phase: 'settling', outcome: 'internal_failure' }]);
  });

  it('releases the slot of its request', async () => {
    const body = Buffer.from('{}');
    const response = { status: 403, body, retryAfterMs: null };
    const broken = new Proxy(response, {
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

  it.each(passingStoreErrors)(
    'leaves the scan to another worker where the database is unavailable: %s',
    async (_name, error) => {
      const scan = openScan(() => Promise.reject(error));

      await expect(scan.run()).rejects.toBe(error);
      expect(scan.saved).toEqual([]);
    },
  );
});

describe('a page that is read while the one before is staged and recorded (Refresh: large inventories)', () => {
  const pageCount = 5;

  interface PageChanges {
    /** The page that is not recorded: the scan was cancelled. */
    readonly lostAt?: number;
    /** The page after whose reading another worker has the scan. */
    readonly takenAt?: number;
    /** The page that the revision-store refuses. */
    readonly refusedAt?: number;
    readonly refusal?: 'payload_too_large' | 'inventory_erased';
    /** Pages read until no slot is free. */
    readonly slotsMax?: number;
    /** The scan begins while its start is written, or refused by a cancel. */
    readonly start?: 'written' | 'refused';
    /** Of the slot of each page. */
    readonly release?: () => Promise<void>;
  }

  /** A scan whose history is written down; staging a page waits until it is released. */
  function openPages(
    sizeOf: (page: number) => number = () => pageCount,
    changes: PageChanges = {},
  ) {
    const history: string[] = [];
    const held: (() => void)[] = [];
    let read = 0;
    const starting = new Promise<Refresh | null>((resolve) => {
      if (!changes.start) return;
      held.push(() => {
        history.push('started');
        resolve(changes.start === 'written' ? collecting() : null);
      });
    });
    const row = (page: number) =>
      ({ appid: 730, contextid: '2', assetid: String(page), classid: '1', amount: '1' }) as const;
    const scan = openScan(
      async () => {
        const page = read;
        read += 1;
        history.push(`read ${page}`);
        const more = page + 1 < pageCount ? { more_items: 1, last_assetid: String(page) } : {};
        const total_inventory_count = sizeOf(page);
        const body = { success: 1, assets: [row(page)], total_inventory_count, ...more };
        return { status: 200, body: Buffer.from(JSON.stringify(body)), retryAfterMs: null };
      },
      {
        ...(changes.start ? { starting } : {}),
        stored: () => {
          const refresh = collecting();
          const isTaken = changes.takenAt !== undefined && read > changes.takenAt;
          return isTaken && refresh.scan
            ? { ...refresh, scan: { ...refresh.scan, epoch: 2 } }
            : refresh;
        },
        saveStep: async (_previous, _next, recorded) => {
          if (!recorded) return true;
          if (recorded.page === changes.lostAt) return false;
          history.push(`record ${recorded.page}`);
          return true;
        },
        acquire: (_request, signal) =>
          read === changes.slotsMax
            ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
            : Promise.resolve({ identityId: 'a', release: changes.release ?? (async () => {}) }),
        staging: {
          textOf: async () => Buffer.from('{}'),
          async readEpoch() {
            history.push('epoch');
            return '76561198000000000/730/2/0';
          },
          async stagePage({ epoch, page }) {
            history.push(`stage ${page}`);
            if (page === changes.refusedAt)
              throw new Refused({ code: changes.refusal ?? 'payload_too_large' });
            await new Promise<void>((resolve) => held.push(resolve));
            return { page, epoch, chunks: [{ digest: '0'.repeat(64), bytes: 2 }] };
          },
        },
      },
    );
    async function releaseAll(): Promise<void> {
      const ended = scan.run().then(() => history.push('ended'));
      while (history.at(-1) !== 'ended') {
        await yieldToEventLoop();
        for (const release of held.splice(0)) release();
      }
      await ended;
    }
    return { history, saved: scan.saved, releaseAll };
  }

  it('is staged once that one is recorded: two pages are on their way at most', async () => {
    const { history, saved, releaseAll } = openPages();

    await releaseAll();

    const at = (entry: string) => history.indexOf(entry);
    for (let page = 2; page < pageCount; page += 1) {
      expect(at(`read ${page}`)).toBeLessThan(at(`record ${page - 1}`));
      expect(at(`record ${page - 2}`)).toBeLessThan(at(`read ${page}`));
      expect(at(`record ${page - 1}`)).toBeLessThan(at(`stage ${page}`));
    }
    expect(saved.at(-1)).toMatchObject({ phase: 'assembling', scan: { pages: pageCount } });
  });

  it('is not read before a page that changes the size of the scan is recorded', async () => {
    const { history, releaseAll } = openPages((page) => (page < 2 ? pageCount : pageCount + 1));

    await releaseAll();

    const at = (entry: string) => history.indexOf(entry);
    expect(at('record 0')).toBeLessThan(at('read 1'));
    expect(at('record 1')).toBeGreaterThan(at('read 2'));
    expect(at('record 2')).toBeLessThan(at('read 3'));
  });

  it('is waited for no longer once the one before is not recorded (Refresh: Cancel)', async () => {
    const { history, releaseAll } = openPages(undefined, { lostAt: 2, slotsMax: 3 });

    await releaseAll();

    expect(history).toContain('stage 2');
    expect(history).not.toContain('read 3');
  });

  it('is not read where another worker has taken the scan', async () => {
    const { history, releaseAll } = openPages(undefined, { takenAt: 2, lostAt: 2 });

    await releaseAll();

    expect(history).toContain('stage 2');
    expect(history).not.toContain('read 3');
  });

  it.each([
    ['payload_too_large', 'internal_failure'],
    ['inventory_erased', 'incomplete'],
  ] as const)(
    'is in no refresh that ends because the one before is refused: %s is %s',
    async (refusal, outcome) => {
      const { history, saved, releaseAll } = openPages(undefined, { refusedAt: 2, refusal });

      await releaseAll();

      expect(history).not.toContain('stage 3');
      expect(saved.at(-1)).toMatchObject({ phase: 'settling', outcome, scan: { pages: 2 } });
    },
  );

  it.each([
    ['hangs', () => new Promise<void>(() => {})],
    ['fails', () => Promise.reject(serverError({ code: 10_107 }))],
  ])(
    'does not wait for the release of its slot, which %s: the slot is free once its longest request would have ended',
    async (_how, release) => {
      const { saved, releaseAll } = openPages(undefined, { release });

      await releaseAll();

      expect(saved.at(-1)).toMatchObject({ phase: 'assembling', scan: { pages: pageCount } });
    },
  );

  it.each([
    ['written', ['epoch', 'read 0', 'started', 'stage 0']],
    ['refused', ['epoch', 'read 0', 'started', 'ended']],
  ] as const)(
    'is the first one too, while the start of its scan is %s: it is staged once it is written (Refresh: Cancel)',
    async (start, first) => {
      const { history, saved, releaseAll } = openPages(undefined, { start });

      await releaseAll();

      expect(history.slice(0, 4)).toEqual(first);
      expect(saved.at(-1)?.phase).toBe(start === 'written' ? 'assembling' : undefined);
    },
  );

  it('is read after the epoch of its inventory, which no erasure of later can precede [erase]', async () => {
    const { history, releaseAll } = openPages();

    await releaseAll();

    expect(history.slice(0, 2)).toEqual(['epoch', 'read 0']);
  });
});
