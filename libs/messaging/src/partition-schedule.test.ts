import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createPartitionSchedule, type PartitionSchedule } from './partition-schedule.ts';

interface Item {
  readonly record: { readonly key: string };
  readonly position: { readonly offset: string };
}

const itemsOf = (keys: readonly string[], first = 0): Item[] =>
  keys.map((key, index) => ({ record: { key }, position: { offset: String(first + index) } }));
const offsetsOf = (items: readonly Item[]) => items.map(({ position }) => Number(position.offset));

/** A schedule that does some things otherwise. */
const changed = (
  all: PartitionSchedule<Item>,
  by: Partial<PartitionSchedule<Item>>,
): PartitionSchedule<Item> => Object.setPrototypeOf(by, all);

/** Planted fault: a slice is whatever was added first, as without round-robin. */
function firstComeFirstServed(): PartitionSchedule<Item> {
  const all = createPartitionSchedule<Item>();
  const given = (item: Item) => (item as Item & { readonly of: Item }).of;
  return changed(all, {
    add: (items) => all.add(items.map((of) => ({ ...of, record: { key: '' }, of }))),
    takeSlice: (max) => all.takeSlice(max).map(given),
  });
}

/** Planted fault: commits the offset of what was finished last, as where offsets are in order. */
function commitsWhatFinishedLast(): PartitionSchedule<Item> {
  const all = createPartitionSchedule<Item>();
  return changed(all, {
    finish(items) {
      all.finish(items);
      return items.at(-1)?.position.offset ?? null;
    },
  });
}

/** Planted fault: what is postponed comes after the waiting records of its key. */
function postponesAfterOthers(): PartitionSchedule<Item> {
  const all = createPartitionSchedule<Item>();
  const postponed: Item[] = [];
  return changed(all, {
    takeSlice(max) {
      const slice = all.takeSlice(max);
      return slice.length > 0 ? slice : postponed.splice(0);
    },
    postpone: (items) => void postponed.push(...items),
    resume() {},
    get hasWaiting() {
      return all.hasWaiting || postponed.length > 0;
    },
  });
}

type Open = () => PartitionSchedule<Item>;

const steps = ['fetch', 'slice', 'postpone', 'resume'] as const;
type Step = (typeof steps)[number];

interface Program {
  /** The key of each record of the partition, by offset. */
  readonly keys: readonly string[];
  readonly sliceMax: number;
  readonly fetchMax: number;
  /**
   * What happens in each step: a fetch; a slice; a slice in which the hot key is postponed; the end
   * of that pause; or a slice whose process dies after the effects of this many of its records,
   * before any offset of it is committed.
   */
  readonly steps: readonly (Step | number)[];
}

const programs: fc.Arbitrary<Program> = fc.record({
  // A hot key among others, as often as each of them or much more often.
  keys: fc.array(fc.constantFrom('hot', 'hot', 'hot', 'hot', 'a', 'b', 'c'), { maxLength: 60 }),
  sliceMax: fc.integer({ min: 1, max: 8 }),
  fetchMax: fc.integer({ min: 1, max: 30 }),
  steps: fc.array(fc.oneof(fc.constantFrom(...steps), fc.integer({ min: 0, max: 8 })), {
    maxLength: 60,
  }),
});

/** Runs a partition to its end over crashes; the handler is idempotent by offset. */
function play(open: Open, { keys, sliceMax, fetchMax, steps }: Program) {
  const log = itemsOf(keys);
  const effects: Item[] = [];
  const done = new Set<number>();
  let committed = 0;
  let fetched = 0;
  let schedule = open();

  const fetch = () => {
    schedule.add(log.slice(fetched, fetched + fetchMax));
    fetched = Math.min(log.length, fetched + fetchMax);
  };
  const handle = (slice: readonly Item[]) => {
    for (const item of slice) {
      const [offset] = offsetsOf([item]);
      if (offset === undefined || done.has(offset)) continue;
      done.add(offset);
      effects.push(item);
    }
  };
  const crash = () => {
    schedule = open();
    fetched = committed;
  };
  const serve = (postpones = false) => {
    const taken = schedule.takeSlice(sliceMax);
    const isPostponed = ({ record }: Item) => postpones && record.key === 'hot';
    const slice = taken.filter((item) => !isPostponed(item));
    handle(slice);
    const offset = schedule.finish(slice);
    schedule.postpone(taken.filter(isPostponed));
    if (offset !== null) committed = Number(offset) + 1;
    // What is committed is never delivered again.
    expect([...Array(committed).keys()].filter((each) => !done.has(each))).toEqual([]);
  };

  for (const step of steps) {
    if (step === 'fetch') fetch();
    else if (step === 'resume') schedule.resume();
    else if (typeof step === 'string') serve(step === 'postpone');
    else {
      handle(schedule.takeSlice(sliceMax).slice(0, step));
      crash();
    }
  }
  while (committed < log.length) {
    schedule.resume();
    if (fetched < log.length) fetch();
    serve();
  }
  return effects;
}

const keepsOrder = (open: Open) =>
  fc.property(programs, (program) => {
    const effects = play(open, program);

    expect(offsetsOf(effects).toSorted((a, b) => a - b)).toEqual([...program.keys.keys()]);
    for (const ofKey of Map.groupBy(effects, ({ record }) => record.key).values()) {
      expect(offsetsOf(ofKey)).toEqual(offsetsOf(ofKey).toSorted((a, b) => a - b));
    }
  });

test('whatever process dies when, each record has its effect once, and those of a key in order', () => {
  fc.assert(keepsOrder(createPartitionSchedule), { numRuns: propertyRuns(2_000) });
});

test('planted fault: a committed offset of the record that finished last loses another one', () => {
  expect(() =>
    fc.assert(keepsOrder(commitsWhatFinishedLast), { numRuns: propertyRuns(2_000) }),
  ).toThrow();
});

test('planted fault: a postponed record after a later one of its key has its effect too late', () => {
  expect(() =>
    fc.assert(keepsOrder(postponesAfterOthers), { numRuns: propertyRuns(2_000) }),
  ).toThrow();
});

test('the keys of postponed records are paused, and the others are served round-robin', () => {
  const schedule = createPartitionSchedule<Item>();
  schedule.add(itemsOf(['hot', 'hot', 'a']));
  schedule.postpone(schedule.takeSlice(1));
  schedule.add(itemsOf(['hot', 'b'], 3));

  const slices = [schedule.takeSlice(9), schedule.takeSlice(9)];
  schedule.resume();
  slices.push(schedule.takeSlice(9));

  expect(slices.map(offsetsOf)).toEqual([[2, 4], [], [0, 1, 3]]);
});

const backlogs = fc.record({
  hot: fc.integer({ min: 1, max: 300 }),
  others: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 40 }),
  sliceMax: fc.integer({ min: 1, max: 20 }),
});

const boundsDelay = (open: Open) =>
  fc.property(backlogs, ({ hot, others, sliceMax }) => {
    const schedule = open();
    schedule.add(itemsOf([...Array(hot).fill('hot'), ...others]));
    const keys = new Set(others).size + 1;
    const before = new Map<string, number>();
    for (let slices = 1; schedule.hasWaiting; slices += 1) {
      const slice = schedule.takeSlice(sliceMax);
      schedule.finish(slice);
      for (const { record } of slice) {
        const ahead = before.get(record.key) ?? 0;
        before.set(record.key, ahead + 1);
        // As many rounds as records of its own key are ahead, whatever the others have.
        if (record.key !== 'hot')
          expect(slices).toBeLessThanOrEqual(Math.ceil(((ahead + 1) * keys) / sliceMax));
      }
    }
  });

test('a record waits for the rounds of its own key, not for the backlog of another', () => {
  fc.assert(boundsDelay(createPartitionSchedule), { numRuns: propertyRuns(1_000) });
});

test('planted fault: in the order of arrival a backlog delays its neighbours by its length', () => {
  expect(() =>
    fc.assert(boundsDelay(firstComeFirstServed), { numRuns: propertyRuns(1_000) }),
  ).toThrow();
});

test('a slice is in the order of offsets, and the oldest record is the lowest unfinished one', () => {
  const schedule = createPartitionSchedule<Item>();
  schedule.add(itemsOf(['hot', 'hot', 'hot', 'hot', 'a', 'b']));

  const slice = schedule.takeSlice(4);

  expect(offsetsOf(slice)).toEqual([0, 1, 4, 5]);
  expect(schedule.finish(slice.slice(2))).toBeNull();
  expect(schedule.oldest?.position.offset).toBe('0');
  expect(schedule.finish(slice.slice(0, 2))).toBe('1');
  expect([schedule.unfinished, schedule.oldest?.position.offset]).toEqual([2, '2']);
});
