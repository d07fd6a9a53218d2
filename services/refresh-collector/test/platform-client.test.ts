import {
  type PlatformSimulator,
  startPlatformSimulator,
} from '@inventory/platform-simulator/platform-simulator';
import { scenarioInventory } from '@inventory/platform-simulator/scenarios';
import { openEgress } from '../src/clients/egress.ts';
import { createPlatformClient } from '../src/clients/platform.ts';
import { classifyAnswer } from '../src/domain/platform-answer.ts';

const farMs = 600_000;
let simulator: PlatformSimulator;

beforeAll(async () => {
  simulator = await startPlatformSimulator({ latency: { slowMs: farMs } });
});
afterAll(() => simulator.close());

test('a page that does not come in time is trouble, and the same identity reads the next one', async () => {
  const [identity] = openEgress([simulator.proxyUrl('north')]);
  if (!identity) throw new Error('no identity');
  const client = createPlatformClient({
    baseUrl: simulator.url,
    timeoutMs: farMs,
    bodyBytesMax: 1024 * 1024,
    userAgent: 'test',
  });
  const page = (scenario: string, timeoutMs: number) => {
    const { platformId, appId, contextId } = scenarioInventory(scenario, 900);
    const scope = { platform_id: platformId, app_id: appId, context_id: contextId };
    const wanted = { scope, language: 'english', count: 2_000, startAssetId: null };
    return client.page(identity, wanted, timeoutMs);
  };

  const late = await page('slow', 50);
  const inTime = await page('one-item', farMs);
  await identity.dispatcher.destroy();

  expect(classifyAnswer(late)).toEqual({ kind: 'fault', reason: 'timeout', eresult: null });
  expect(classifyAnswer(inTime)).toMatchObject({ kind: 'page', page: { more: false } });
});
