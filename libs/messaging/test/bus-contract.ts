import { describeBroadcasts } from './contract/broadcasts.ts';
import { describeDeadLetters } from './contract/dead-letters.ts';
import { describeFailures } from './contract/failures.ts';
import { describeSending } from './contract/sending.ts';
import { describeSharingWork } from './contract/sharing-work.ts';
import type { BusAdapter, BusWorld } from './support/bus-world.ts';

/** The contract of every adapter of the bus. */
export function describeBusContract(adapter: BusAdapter): void {
  describe(adapter.name, () => {
    let world: BusWorld;
    beforeEach(async () => {
      world = await adapter.openWorld();
    });
    afterEach(() => world.close());
    const current = () => world;

    describe('sharing work', () => describeSharingWork(current));
    describe('failures', () => describeFailures(current));
    describe('dead letters', () => describeDeadLetters(current));
    describe('broadcasts', () => describeBroadcasts(current));
    describe('what is sent', () => describeSending(current, adapter));
  });
}
