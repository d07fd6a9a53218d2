import { type MongoConnection, readStoreTime } from '@inventory/mongo/connect';
import { createMemoryLeases } from '@inventory/testkit/memory-leases';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import { createLeases, type Lease, type Leases, leaseField, ownedBy } from '@inventory/work/lease';
import fc from 'fast-check';
import { z } from 'zod';

const thing = z.object({
  _id: z.string(),
  text: z.string().exactOptional(),
  lease: leaseField.exactOptional(),
});
type Thing = z.infer<typeof thing>;
type Released = 'deleted' | 'kept';

const leaseMs = 60_000;
let mongo: MongoConnection;
beforeAll(async () => {
  mongo = await openTestStore('leases');
});
afterAll(() => mongo.close());

/** Leases, and what a test does beside them. */
interface World {
  readonly leases: Leases<Thing>;
  read(id: string): Promise<Thing | null>;
  /** A write of the holder's in its own document. */
  write(lease: Lease, text: string): Promise<boolean>;
  /** Lets the lease expire. */
  expire(id: string): Promise<void>;
}

let collections = 0;
function openStored(released: Released): World & { leave(lease: Lease): Promise<void> } {
  collections += 1;
  const collection = mongo.db.collection<Thing>(`things${collections}`);
  return {
    leases: createLeases(collection, leaseMs, released),
    read: (id) => collection.findOne({ _id: id }),
    async write(lease, text) {
      const { matchedCount } = await collection.updateOne(ownedBy(lease), { $set: { text } });
      return matchedCount === 1;
    },
    async leave(lease: Lease) {
      await collection.updateOne(ownedBy(lease), { $unset: { text: '', lease: '' } });
    },
    async expire(id) {
      const until = new Date(0);
      await collection.updateOne({ _id: id, lease: { $exists: true } }, [
        { $set: { 'lease.until': until } },
      ]);
    },
  };
}

function openMemory(released: Released): World {
  const clock = createTestClock();
  const leases = createMemoryLeases<Thing>(clock, leaseMs, released);
  const { documents } = leases;
  return {
    leases,
    read: async (id) => documents.get(id) ?? null,
    async write({ id, owner }, text) {
      const document = documents.get(id);
      if (document?.lease?.owner !== owner) return false;
      documents.set(id, { ...document, text });
      return true;
    },
    expire: async () => clock.advance(leaseMs),
  };
}

/* A program: steps of several replicas, one after the other. A crash is a holding that its replica
   does not use any more, a late request is one of a holding that it lost or forgot. */
type Act = 'acquire' | 'acquire again' | 'seize' | 'renew' | 'write' | 'release';
interface Step {
  readonly act: Act | 'expire';
  readonly replica: number;
  /** The holding of the replica, counted from its last one. */
  readonly back: number;
}

const stepsOf = (replicas: number) =>
  fc.array(
    fc.record<Step>({
      act: fc.constantFrom(
        ...(['acquire', 'acquire', 'acquire again', 'seize'] as const),
        ...(['renew', 'write', 'write', 'release', 'expire'] as const),
      ),
      replica: fc.nat({ max: replicas - 1 }),
      back: fc.nat({ max: 2 }),
    }),
    { maxLength: 25 },
  );

/** Who holds the lease, as each result has to agree with. */
class Reference {
  #owner: string | null = null;
  #isExpired = false;

  holds = (owner: string) => this.#owner === owner;

  /** Whether the step takes effect. */
  next(act: Act, owner: string): boolean {
    const isFree = this.#owner === null || this.#isExpired;
    const succeeds = act === 'seize' || this.holds(owner) || (isFree && act.startsWith('acquire'));
    if (!succeeds) return false;
    if (act !== 'write') this.#isExpired = false;
    this.#owner = act === 'release' ? null : owner;
    return true;
  }

  expire = () => {
    this.#isExpired = true;
  };
}

async function takeStep({ leases, write }: World, act: Act, lease: Lease): Promise<unknown> {
  if (act === 'seize') return (await leases.seize(lease)) !== null;
  if (act === 'renew') return leases.renew(lease);
  if (act === 'write') return write(lease, `by ${lease.owner}`);
  if (act === 'release') return leases.release(lease);
  return (await leases.acquire(lease)) !== null;
}

/** Rejects where a result, or the owner in the document, is not that of the reference. */
async function follow(world: World, steps: readonly Step[]): Promise<void> {
  const id = 'thing';
  const reference = new Reference();
  const holdings = new Map<number, string[]>();
  for (const { act, replica, back } of steps) {
    const own = holdings.get(replica) ?? [];
    holdings.set(replica, own);
    if (act === 'acquire' || act === 'seize') own.unshift(`${replica}.${own.length}`);
    const owner = own[act === 'acquire again' ? 0 : Math.min(back, own.length - 1)];
    if (act === 'expire') {
      await world.expire(id);
      reference.expire();
    } else if (owner !== undefined) {
      const taken = await takeStep(world, act, { id, owner });
      const expected = reference.next(act, owner);
      if (act !== 'release') expect({ act, owner, taken }).toEqual({ act, owner, taken: expected });
    }
    const stored = (await world.read(id))?.lease?.owner;
    if (stored !== undefined) expect(reference.holds(stored)).toBe(true);
    else for (const each of own) expect(reference.holds(each)).toBe(false);
  }
}

const worlds = [
  ['a collection', openStored, propertyRuns(15)],
  ['memory', openMemory, propertyRuns(300)],
] as const;

describe.each(worlds)('a lease in %s', (_name, open, numRuns) => {
  it.each([2, 5])('belongs to its last owner only, whatever %d replicas do', async (replicas) => {
    const released = fc.constantFrom<Released>('deleted', 'kept');
    const program = fc.asyncProperty(stepsOf(replicas), released, (steps, then) =>
      follow(open(then), steps),
    );

    await fc.assert(program, { numRuns });
  });

  it('is acquired by one of five at a time, also where its document does not exist', async () => {
    const { leases, expire } = open('kept');
    for (const round of ['first', 'next']) {
      const owners = Array.from({ length: 5 }, (_, index) => ({ id: 'a', owner: round + index }));

      const acquired = await Promise.all(owners.map((owner) => leases.acquire(owner)));

      expect(acquired.filter((one) => one !== null)).toHaveLength(1);
      await expire('a');
    }
  });

  it('is acquired and renewed together with fields of the document, or neither is written', async () => {
    const { leases, read } = open('kept');
    const [first, second] = ['first', 'second'].map((owner) => ({ id: 'a', owner }));
    if (!first || !second) throw new Error('no owners');

    const acquired = await leases.acquire(first, { set: { text: '$price' } });

    expect(acquired).toMatchObject({ _id: 'a', text: '$price', lease: { owner: 'first' } });
    expect(await leases.acquire(second, { set: { text: 'second' } })).toBeNull();
    expect(await leases.renew(second, { text: 'second' })).toBe(false);
    expect(await read('a')).toMatchObject({ text: '$price', lease: { owner: 'first' } });
    expect(await leases.renew(first, { text: '$$NOW' })).toBe(true);
    await leases.release(first);
    expect(await read('a')).toEqual({ _id: 'a', text: '$$NOW' });
    await leases.acquire(second);
    expect(await read('a')).toMatchObject({ text: '$$NOW', lease: { owner: 'second' } });
  });
});

describe('a lease in a collection', () => {
  it('expires by the clock of the store, not by that of a machine', async () => {
    const { leases } = openStored('kept');
    const lease = { id: 'a', owner: 'first' };

    const beforeMs = await readStoreTime(mongo.db);
    const acquired = await leases.acquire(lease);
    const afterMs = await readStoreTime(mongo.db);

    const untilMs = acquired?.lease?.until.getTime() ?? 0;
    expect(untilMs).toBeGreaterThanOrEqual(beforeMs + leaseMs);
    expect(untilMs).toBeLessThanOrEqual(afterMs + leaseMs);
  });

  it('is held by another where the document does not match', async () => {
    const { leases, read } = openStored('kept');
    const [first, second] = ['first', 'second'].map((owner) => ({ id: 'a', owner }));
    if (!first || !second) throw new Error('no owners');
    await leases.acquire(first, { set: { text: 'old' }, where: { text: { $exists: false } } });
    await leases.release(first);

    expect(await leases.acquire(second, { where: { text: 'new' } })).toBeNull();

    expect(await read('a')).toEqual({ _id: 'a', text: 'old' });
    expect(await leases.acquire(second, { where: { text: 'old' } })).not.toBeNull();
  });

  it('is acquired or not, as its document says, where its holder leaves that meanwhile', async () => {
    const { leases, read, leave } = openStored('kept');
    const owners = Array.from({ length: 50 }, (_, index) => ({ id: `${index}`, owner: 'next' }));
    const where = { text: { $exists: false } };

    for (const next of owners) {
      const first = { ...next, owner: 'first' };
      await leases.acquire(first, { set: { text: 'held' } });

      const [acquired] = await Promise.all([leases.acquire(next, { where }), leave(first)]);

      const owner = (await read(next.id))?.lease?.owner;
      expect(owner).toBe(acquired === null ? undefined : 'next');
    }
  });
});

/** Each is a mistake that the programs have to find. */
const faults: readonly (readonly [string, (world: World) => World])[] = [
  [
    'a write without the fence',
    (world) => ({
      ...world,
      async write({ id }, text) {
        const owner = (await world.read(id))?.lease?.owner;
        return owner !== undefined && world.write({ id, owner }, text);
      },
    }),
  ],
  ['a lease that does not expire', (world) => ({ ...world, expire: async () => {} })],
  [
    'a lease that is no obstacle to others',
    (world) => ({ ...world, leases: { ...world.leases, acquire: world.leases.seize } }),
  ],
];

describe('the programs', () => {
  it.each(faults)('find %s', async (_fault, plant) => {
    const program = fc.asyncProperty(stepsOf(2), (steps) =>
      follow(plant(openMemory('kept')), steps),
    );

    const { failed } = await fc.check(program, { numRuns: 300, seed: 1 });

    expect(failed).toBe(true);
  });
});
