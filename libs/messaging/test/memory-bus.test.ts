import { describeBusContract } from './bus-contract.ts';
import { openMemoryWorld } from './support/memory-world.ts';

describeBusContract({ name: 'the in-memory bus', openWorld: openMemoryWorld });
