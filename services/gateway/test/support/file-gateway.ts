import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './test-gateway.ts';

/** A world and a gateway of the test file that imports them, open while its tests run. */
export let world: GatewayWorld;
export let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld();
  gateway = await startTestGateway(world);
});
afterEach(() => world?.reset());
afterAll(() => world?.close());
