import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { createTestClock } from '@inventory/testkit/test-clock';
import { createProjectEventAccess } from './project-event-access.ts';

const minuteMs = 60_000;
const projectId = newProjectId();

/** A gateway whose answer, or failure, a test sets. */
function world() {
  const clock = createTestClock();
  const gateway = { events: true, isUp: true, asked: 0 };
  const eventAccess = createProjectEventAccess({
    async lookUp() {
      gateway.asked += 1;
      if (!gateway.isUp) throw new Error('away');
      return gateway.events;
    },
    clock,
    logger: testLogger,
  });
  return { clock, gateway, eventAccess, ask: () => eventAccess.mayHaveEvents(projectId) };
}

test('what is known counts for half a minute, or until a change is announced (Tenancy)', async () => {
  const { clock, gateway, eventAccess, ask } = world();

  expect([await ask(), await ask(), gateway.asked]).toEqual([true, true, 1]);
  gateway.events = false;
  expect(await ask()).toBe(true);
  eventAccess.invalidate(projectId);
  expect([await ask(), gateway.asked]).toEqual([false, 2]);
  gateway.events = true;
  clock.advance(minuteMs);
  expect(await ask()).toBe(true);
  gateway.events = false;
  eventAccess.invalidate(null);
  expect(await ask()).toBe(false);
});

test('while the gateway is away what it said last counts for five minutes, then nothing is sent (Tenancy)', async () => {
  const { clock, gateway, ask } = world();
  await ask();
  gateway.isUp = false;

  clock.advance(4 * minuteMs);
  expect(await ask()).toBe(true);
  clock.advance(2 * minuteMs);
  expect(await ask()).toBe(false);
  gateway.isUp = true;
  clock.advance(5_000);
  expect(await ask()).toBe(true);
});

test('a gateway that does not answer keeps nobody waiting again for a few seconds', async () => {
  const { clock, gateway, ask } = world();
  await ask();
  gateway.isUp = false;
  clock.advance(minuteMs);

  expect([await ask(), await ask(), await ask(), gateway.asked]).toEqual([true, true, true, 2]);
  clock.advance(5_000);
  expect([await ask(), gateway.asked]).toEqual([true, 3]);
});

test('of a Project that was never asked about nothing is sent while the gateway is away (Tenancy)', async () => {
  const { gateway, ask } = world();
  gateway.isUp = false;

  expect(await ask()).toBe(false);
});

test('an answer that was on its way when a change was announced is asked for again (Tenancy)', async () => {
  const { gateway, eventAccess, ask } = world();

  const first = ask();
  eventAccess.invalidate(projectId);
  await first;
  await ask();

  expect(gateway.asked).toBe(2);
});
