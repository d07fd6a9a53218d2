import { type GatewayWorld, openWorld } from './test-gateway.ts';

/** A world of the test file that imports it, open while its tests run; the file starts its gateways. */
export let world: GatewayWorld;

beforeAll(async () => {
  world = await openWorld();
});
afterEach(() => world?.reset());
afterAll(() => world?.close());
