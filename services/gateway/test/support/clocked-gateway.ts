import { createTestClock } from '@inventory/testkit/test-clock';
import { testStartMs } from './patience.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './test-gateway.ts';

/** As `file-gateway.ts`, on a clock that stands until the test moves it. */
export const clock = createTestClock(testStartMs);
export let world: GatewayWorld;
export let gateway: TestGateway;

beforeAll(async () => {
  world = await openWorld(clock);
  gateway = await startTestGateway(world);
});
afterEach(() => world?.reset());
afterAll(() => world?.close());
