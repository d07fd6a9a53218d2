import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createProjectEventAccess } from './event-access.ts';

const minuteMs = 60_000;
const projectId = newProjectId();

/** A gateway whose response, or failure, is set by the test. */
function world() {
  const clock = createTestClock();
  const gateway = { events: true, isUp: true, lookups: 0 };
  const eventAccess = createProjectEventAccess({
    async findEventAccess() {
      gateway.lookups += 1;
      if (!gateway.isUp) throw new Error('away');
      return gateway.events;
    },
    clock,
    logger: testLogger,
  });
  return { clock, gateway, eventAccess, read: () => eventAccess.find(projectId) };
}

test('a response is cached for half a minute, or until a change is published (Tenancy)', async () => {
  const { clock, gateway, eventAccess, read } = world();

  expect([await read(), await read(), gateway.lookups]).toEqual(['allowed', 'allowed', 1]);
  gateway.events = false;
  expect(await read()).toBe('allowed');
  eventAccess.invalidate(projectId);
  expect([await read(), gateway.lookups]).toEqual(['refused', 2]);
  gateway.events = true;
  clock.advance(minuteMs);
  expect(await read()).toBe('allowed');
  gateway.events = false;
  eventAccess.invalidate(null);
  expect(await read()).toBe('refused');
});

test('while the gateway is unavailable its last response is valid for five minutes, then nothing is sent (Tenancy)', async () => {
  const { clock, gateway, read } = world();
  await read();
  gateway.isUp = false;

  clock.advance(4 * minuteMs);
  expect(await read()).toBe('allowed');
  clock.advance(2 * minuteMs);
  expect(await read()).toBe('unknown');
  gateway.isUp = true;
  clock.advance(5_000);
  expect(await read()).toBe('allowed');
});

test('after a failed lookup no delivery waits for another lookup for a few seconds', async () => {
  const { clock, gateway, read } = world();
  await read();
  gateway.isUp = false;
  clock.advance(minuteMs);

  expect([await read(), await read(), await read(), gateway.lookups]).toEqual([
    'allowed',
    'allowed',
    'allowed',
    2,
  ]);
  clock.advance(5_000);
  expect([await read(), gateway.lookups]).toEqual(['allowed', 3]);
});

test('a clock that is set back prolongs neither the last response nor the pause after a failed lookup (Tenancy)', async () => {
  const { clock, gateway, read } = world();
  await read();
  gateway.isUp = false;
  clock.advance(minuteMs);
  expect(await read()).toBe('allowed');

  clock.advance(-24 * 60 * minuteMs);
  expect(await read()).toBe('unknown');
  gateway.isUp = true;
  clock.advance(5_000);

  expect([await read(), gateway.lookups]).toEqual(['allowed', 4]);
});

test('while the gateway is unavailable a Project without a cached response is sent nothing (Tenancy)', async () => {
  const { gateway, read } = world();
  gateway.isUp = false;

  expect(await read()).toBe('unknown');
});

test('a lookup in flight when a change is published is repeated (Tenancy)', async () => {
  const { gateway, eventAccess, read } = world();

  const first = read();
  eventAccess.invalidate(projectId);
  await first;
  await read();

  expect(gateway.lookups).toBe(2);
});
