import { type OperatorWorld, openOperatorWorld } from './operator-world.ts';

/** The operator API of the test file that imports it, open while its tests run. */
export let world: OperatorWorld;

beforeAll(async () => {
  world = await openOperatorWorld();
});
afterAll(() => world?.close());
