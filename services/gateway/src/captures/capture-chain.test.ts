import { createHash } from 'node:crypto';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { createLogger } from '@inventory/runtime/logger';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import { newAccountId, newScope } from '@inventory/testkit/builders';
import { createMemoryQueue } from '@inventory/testkit/memory-queue';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createWorker } from '@inventory/work/worker';
import fc from 'fast-check';
import type { ChainOwner } from './capture.domain.ts';
import { beginPageCapture, type CapturePageDeps } from './capture-page.ts';
import type { PendingCapture } from './capture-store.ts';
import { type CompleteCapturesDeps, captureWork } from './complete-captures.ts';
import { type LiveChain, openLiveChain } from './live-chain.domain.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 5, numRuns: 10_000, endOnFailure: true };

const logger = createLogger({ service: 'test', level: 'silent' });
const rules = { chainDeadlineMs: 600_000, pagesMax: 250, settleWithinMs: 3_600_000 };
const chainId = '0197a3c2-1111-7abc-8def-000000000001';
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * One read of the story. The platform's page may have changed since it was read before; the store
 * may fail; the charge may be refused; the delivery may be cut, and its charge is then undone at
 * once or only later.
 */
const step = fc.record({
  cursor: fc.constantFrom('newest', 'newest', 'newest', 'newest', 'older' as const),
  content: fc.constantFrom('same', 'same', 'same', 'same', 'changed' as const),
  store: fc.constantFrom('stages', 'stages', 'stages', 'stages', 'fails' as const),
  ends: fc.constantFrom(
    'delivered',
    'delivered',
    'delivered',
    'delivered',
    'refused',
    'reversed',
    'reversed_later' as const,
  ),
  afterMs: fc.constantFrom(0, 0, 0, 0, 0, 0, rules.chainDeadlineMs / 2, rules.chainDeadlineMs + 1),
  sweepAfter: fc.boolean(),
});
const story = fc.record({
  pages: fc.integer({ min: 1, max: 4 }),
  steps: fc.array(step, { maxLength: 10 }),
});
type Story = typeof story extends fc.Arbitrary<infer Value> ? Value : never;

/** Faults that the property has to find. */
const faults = [
  'open charges are not checked',
  'an undone page does not end its chain',
  'the store takes a page again with other contents',
  'a page that was not staged ends only its own cursor',
  'a chain may last for ever',
] as const;
type Fault = (typeof faults)[number];

/** The stores that two replicas share, and what became of the chain. */
function createWorld(fault?: Fault) {
  const clock = createTestClock();
  const staged = new Map<number, ManifestPage>();
  const open = new Set<string>();
  const queue = createMemoryQueue<PendingCapture>();
  const excluded = new Set<string>();
  const exclude = (id: string) => {
    excluded.add(id);
    queue.pending.delete(id);
  };
  const published: OutgoingMessage[] = [];

  const capturing: CapturePageDeps & { fails: boolean } = {
    fails: false,
    rules: fault === 'a chain may last for ever' ? { ...rules, chainDeadlineMs: 1e12 } : rules,
    clock,
    logger,
    ends: createRecentlyUsed(10),
    staging: {
      async stagePage({ page }, members) {
        if (capturing.fails) throw new Error('the store is unavailable');
        const text = Buffer.concat(members);
        const digest = digestOf(text.toString());
        const now = { page, epoch: 1, chunks: [{ digest, bytes: text.length }] };
        const before = staged.get(page) ?? now;
        staged.set(page, before);
        const takesAll = fault === 'the store takes a page again with other contents';
        if (before.chunks[0]?.digest !== digest && !takesAll) throw new Error('409');
        return now;
      },
    },
    captures: {
      async insertCapture(capture, nowMs) {
        const { chainId: id } = capture;
        if (queue.pending.has(id) || excluded.has(id)) return;
        queue.add(id, { ...capture, trace: {} }, nowMs);
      },
      async excludeChain(id) {
        if (fault !== 'a page that was not staged ends only its own cursor') exclude(id);
      },
    },
  };

  const completing: CompleteCapturesDeps = {
    ...{ clock, settleWithinMs: rules.settleWithinMs },
    logger,
    queue,
    intents: {
      hasOpenIntent: async () => open.size > 0 && fault !== 'open charges are not checked',
    },
    revisions: {
      listStagedPages: async () => [...staged.values()].sort((a, b) => a.page - b.page),
    },
    publish: async (messages) => void published.push(...messages),
  };

  async function sweep(times = 1): Promise<void> {
    for (let round = 0; round < times; round += 1) {
      clock.advance(10_001);
      await complete(completing);
    }
  }
  /** As the reversal of a page does it: the chain first, then the intent. */
  async function undo(intent: string): Promise<void> {
    if (fault !== 'an undone page does not end its chain') exclude(chainId);
    open.delete(intent);
  }
  return {
    clock,
    staged,
    open,
    known: queue.pending,
    published,
    capturing,
    completing,
    sweep,
    undo,
  };
}

/** One round of a replica. */
async function complete(deps: CompleteCapturesDeps): Promise<void> {
  const { clock } = deps;
  const worker = createWorker(captureWork(deps), {
    clock,
    owner: 'a',
    logger,
    wake: () => {},
    wakeIn: () => {},
    stopping: new AbortController().signal,
  });
  await worker.runOnce();
  await worker.idle();
  worker.stop();
}

type World = ReturnType<typeof createWorld>;
const owner: ChainOwner = { accountId: newAccountId(), scope: newScope(), language: 'english' };

function readPage(world: World, chain: LiveChain, pages: number, text: string) {
  const last = chain.page === pages - 1;
  return beginPageCapture(world.capturing, {
    chain,
    owner,
    inventoryEpoch: '76561198000000000/730/2/0',
    members: [Buffer.from(text)],
    nextStartAssetid: last ? null : `asset ${chain.page}`,
    assetCount: 1,
    endCheck: null,
    totalCount: pages,
  });
}

const charged = { replayed: false };

const sent = (world: World) =>
  world.published.filter(({ type }) => type === 'revision.completed.v1');

/** Reads a whole chain without trouble; what it ends with. */
async function readThrough(world: World, pages: number): Promise<LiveChain> {
  let chain = openLiveChain(chainId, world.clock.now());
  for (let page = 0; page < pages; page += 1) {
    chain = await readPage(world, chain, pages, `page ${page}`).conclude(charged);
  }
  return chain;
}

/** Whether the chain was saved, after it was held to be so exactly when it had to be. */
async function tell({ pages, steps }: Story, fault?: Fault): Promise<boolean> {
  const world = createWorld(fault);
  const startedAtMs = world.clock.now();
  const cursors = [openLiveChain(chainId, startedAtMs)];
  /** What the first attempt of each page saw, delivered or not: it was staged. */
  const seen = new Map<number, string>();
  let complete = false;
  let spoilt = false;
  /** What was sent is not taken back; before, whatever goes wrong ends the capture. */
  const spoil = () => {
    if (sent(world).length > 0) return;
    spoilt = true;
    complete = false;
  };

  for (const [at, one] of steps.entries()) {
    const chain = one.cursor === 'newest' ? cursors.at(-1) : (cursors.at(-2) ?? cursors[0]);
    if (!chain) continue;
    world.clock.advance(one.afterMs);
    const late = world.clock.now() - startedAtMs > rules.chainDeadlineMs;
    const text = `page ${chain.page}${one.content === 'changed' ? ` at ${at}` : ''}`;
    const unchanged = (seen.get(chain.page) ?? text) === text;
    const stages = one.store === 'stages';
    const captures = chain.evidence !== null && !late;
    if (captures && stages) seen.set(chain.page, seen.get(chain.page) ?? text);

    const intent = `read ${at}`;
    world.open.add(intent);
    world.capturing.fails = !stages;
    const page = readPage(world, chain, pages, text);
    if (one.ends === 'refused') world.open.delete(intent);
    else {
      const next = await page.conclude(charged);
      if (captures && !(stages && unchanged)) spoil();
      if (one.ends === 'delivered') world.open.delete(intent);
      else spoil();
      if (one.ends === 'reversed') await world.undo(intent);
      expect(next.page).toBe(chain.page + 1);
      const ended = next.startAssetid === null;
      if (!ended) cursors.push(next);
      if (ended && captures && stages && unchanged && !spoilt) complete = true;
    }
    if (one.sweepAfter) await world.sweep();
  }
  for (const intent of [...world.open]) await world.undo(intent);
  await world.sweep(2);

  expect(new Set(sent(world).map(({ id }) => id)).size).toBe(complete ? 1 : 0);
  return complete;
}

describe('A chain of Live Pages (Reads: Capture) [capture]', () => {
  it('is sent as one completed scan of all its pages, once', async () => {
    const world = createWorld();
    const startedAtMs = world.clock.now();
    await readThrough(world, 3);

    await world.sweep(3);

    expect(sent(world)).toEqual([
      {
        type: 'revision.completed.v1',
        id: `completed:${chainId}`,
        body: {
          scanId: chainId,
          refreshId: null,
          source: 'capture',
          accountId: owner.accountId,
          scope: owner.scope,
          language: 'english',
          sequence: null,
          scanWindow: { startedAtMs, completedAtMs: startedAtMs },
          reportedTotalCount: 3,
          pages: [...world.staged.values()],
        },
      },
    ]);
    expect(world.known.size).toBe(0);
  });

  it('waits for a page whose charge is open, and is given up when that takes too long [live-page-waits]', async () => {
    const world = createWorld();
    await readThrough(world, 2);
    world.open.add('page 1');

    await world.sweep(3);
    expect([sent(world).length, world.known.size]).toEqual([0, 1]);
    world.clock.advance(rules.settleWithinMs);
    world.open.clear();
    await world.sweep();

    expect([sent(world).length, world.known.size]).toEqual([0, 0]);
  });

  it('is not sent when a page is undone between the check of its charges and the sending', async () => {
    const world = createWorld();
    await readThrough(world, 2);
    const { completing } = world;
    const hasOpen = async () => {
      await world.undo('page 1');
      return false;
    };
    world.clock.advance(10_001);

    await complete({ ...completing, intents: { hasOpenIntent: hasOpen } });
    await world.sweep();

    expect(sent(world)).toEqual([]);
  });

  it('is not sent when what is staged is not what was read', async () => {
    const world = createWorld();
    await readThrough(world, 2);
    world.staged.delete(1);

    await world.sweep();

    expect([sent(world).length, world.known.size]).toEqual([0, 0]);
  });

  it('is re-sent after a crash of its replica, and after the store or the broker was unavailable', async () => {
    const world = createWorld();
    await readThrough(world, 2);
    const { completing } = world;
    const away = async () => Promise.reject(new Error('away'));
    world.clock.advance(10_001);

    await complete({ ...completing, revisions: { listStagedPages: away } });
    world.clock.advance(10_001);
    await complete({ ...completing, publish: away });
    world.clock.advance(10_001);
    await complete({ ...completing, queue: { ...completing.queue, complete: away } });
    await world.sweep(2);

    expect(sent(world)).toHaveLength(2);
    expect(new Set(sent(world).map((message) => JSON.stringify(message))).size).toBe(1);
  });

  it('is read on when its capture cannot be kept', async () => {
    const world = createWorld();
    const add = async () => Promise.reject(new Error('away'));
    const { capturing } = world;
    const chain = openLiveChain(chainId, world.clock.now());
    const captures = { ...capturing.captures, add };

    const page = readPage({ ...world, capturing: { ...capturing, captures } }, chain, 1, 'page');

    expect(await page.conclude(charged)).toMatchObject({ page: 1, startAssetid: null });
  });

  it('ends its capture before the page that was not staged is delivered, for every cursor', async () => {
    const world = createWorld();
    const first = await readPage(world, openLiveChain(chainId, world.clock.now()), 2, '0').conclude(
      charged,
    );
    world.capturing.fails = true;
    const broken = readPage(world, first, 2, '1');
    expect((await broken.conclude(charged)).evidence).toBeNull();
    world.capturing.fails = false;

    expect((await readPage(world, first, 2, '1').conclude(charged)).evidence).not.toBeNull();
    await world.sweep();

    expect(sent(world)).toEqual([]);
  });

  it('is saved exactly when it was read in full, in order, in time, unchanged and fully paid', async () => {
    const property = fc.asyncProperty(story, async (one) => void (await tell(one)));

    await fc.assert(property, { numRuns: propertyRuns(1_000) });
  });

  it('is saved in some of the stories and not in others', async () => {
    const saved = await Promise.all(
      fc.sample(story, { seed: 1, numRuns: 300 }).map((one) => tell(one)),
    );

    expect(new Set(saved)).toEqual(new Set([true, false]));
  });

  it.each(faults)('is found wrong when %s', async (fault) => {
    const property = fc.asyncProperty(story, async (one) => void (await tell(one, fault)));

    await expect(fc.assert(property, faultRuns)).rejects.toThrow(/failed after/);
  });
});

describe('chains of one inventory that are read at the same time', () => {
  const idOf = (at: number) => `0197a3c2-1111-7abc-8def-00000000010${at}`;
  /** The end of a chain of one page that began now; whether it is captured. */
  async function endOf(world: World, chain: LiveChain, of: ChainOwner = owner): Promise<boolean> {
    const page = beginPageCapture(world.capturing, {
      ...{ chain, owner: of, inventoryEpoch: 'e', members: [Buffer.from('page')] },
      ...{ nextStartAssetid: null, assetCount: 1, endCheck: null, totalCount: 1 },
    });
    await page.conclude(charged);
    return world.known.has(chain.chainId);
  }

  it('are captured once: the others could not become the latest (decisions: Capture)', async () => {
    const world = createWorld();
    const chains = [0, 1, 2, 3].map((at) => openLiveChain(idOf(at), world.clock.now()));
    const other = { ...owner, accountId: newAccountId() };
    world.clock.advance(5);

    const kept = [];
    for (const [at, chain] of chains.entries()) {
      kept.push(await endOf(world, chain, at % 2 ? other : owner));
    }

    expect(kept).toEqual([true, false, false, false]);
    // Read again, the first one is captured as before, and no other.
    expect(await endOf(world, chains[0] as LiveChain)).toBe(true);
    expect(await endOf(world, chains[1] as LiveChain)).toBe(false);
  });

  it('do not hide a later one, nor one of another inventory or language', async () => {
    const world = createWorld();
    await endOf(world, openLiveChain(idOf(0), world.clock.now()));
    const beside = [{ ...owner, scope: newScope() }, { ...owner, language: 'german' } as const];
    for (const [at, of] of beside.entries()) {
      const chain = openLiveChain(idOf(at + 1), world.clock.now());
      expect(await endOf(world, chain, of)).toBe(true);
    }
    world.clock.advance(1);

    expect(await endOf(world, openLiveChain(idOf(5), world.clock.now()))).toBe(true);
  });
});
