import { type PlatformSimulator, startPlatformSimulator } from './platform-simulator.ts';
import { sizeInventory } from './scenarios.ts';

let simulator: PlatformSimulator;

beforeAll(async () => {
  simulator = await startPlatformSimulator();
});
afterAll(() => simulator.close());

const { platformId, appId, contextId } = sizeInventory(3, 1);

const urlOf = () =>
  `${simulator.url}/inventory/${platformId}/${appId}/${contextId}?l=english&count=10`;

function read(): Promise<number> {
  return fetch(urlOf()).then(({ status }) => status);
}

async function control(method: string, path: string, body?: object) {
  const answer = await fetch(`${simulator.url}/control${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return await answer.json();
}

async function counters() {
  const answer = await control('GET', `/counters?platform_id=${platformId}`);
  return answer as { accounts: Record<string, { in_flight: number }> };
}

test('the answers of a held account wait until it is released', async () => {
  await control('PATCH', `/accounts/${platformId}`, { held: true });
  let answered = false;
  const reading = read().then((status) => {
    answered = true;
    return status;
  });
  for (;;) {
    const { accounts } = await counters();
    if (accounts[platformId]?.in_flight === 1) break;
  }
  expect(answered).toBe(false);

  await control('PATCH', `/accounts/${platformId}`, { held: false });

  expect(await reading).toBe(200);
  expect(await read()).toBe(200);
});

test('the first page of an account is answered while its later pages are held', async () => {
  await control('PATCH', `/accounts/${platformId}`, { held: 'later_pages' });

  expect(await read()).toBe(200);
  const later = new AbortController();
  const waiting = fetch(`${urlOf()}&start_assetid=1`, { signal: later.signal });
  for (;;) if ((await counters()).accounts[platformId]?.in_flight === 1) break;
  later.abort();

  await expect(waiting).rejects.toThrow('aborted');
});
