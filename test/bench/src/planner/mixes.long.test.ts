import { missedFloors } from './missed-floors.ts';

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

describe('the mixes of slots, deadlines and requests', () => {
  it.each(seeds)('meet every floor: seed %i (Refresh: Deadlines)', (seed) => {
    expect(missedFloors(seed)).toEqual([]);
  });
});
