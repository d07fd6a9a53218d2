import { waitFor } from '@inventory/testkit/wait-for';
import { type LineReader, readerPrograms, startLineReader } from './support/line-readers.ts';
import type { Customer } from './support/operator.ts';
import { readProjectLog } from './support/project-log.ts';
import { sizeScope } from './support/simulator-control.ts';
import { type StreamProxies, startStreamProxies } from './support/stream-proxies.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** From the log to the last of some fifty readers on a small machine; a heartbeat comes after 15 s. */
const deliveredMs = 10_000;
const events = 3;
let stack: TestStack;
let customer: Customer;
let proxies: StreamProxies;
let readers: LineReader[] = [];

beforeAll(async () => {
  stack = await openTestStack({
    serviceEnvironment: { gateway: { STREAMS_PER_PROJECT_MAX: '200', STREAM_DRAIN_MS: '1000' } },
  });
  const { accountId, projectId, ...others } = await stack.operator.newCustomer();
  await stack.operator.switchEvents(accountId, true);
  const scopes = ['*', 'customer.events.read.v1'];
  const credential = await stack.operator.newCredential(projectId, { scopes });
  customer = { ...others, accountId, projectId, ...credential };
  proxies = await startStreamProxies(stack.folder, stack.gatewayUrl);
});
afterAll(async () => {
  await Promise.all(readers.map((one) => one.stop()));
  await proxies?.stop();
  await stack?.close();
});

/** What each stream of each reader lacks, by its name; fails with it unless it is nothing. */
function untilAll(
  reason: string,
  isDone: (stream: { events: string[]; frames: string[]; end: string | null }) => boolean,
  withinMs?: number,
): Promise<true> {
  return waitFor(
    reason,
    () => {
      const left = readers.flatMap(({ library, streams }) =>
        [...streams].flatMap(([way, { frames, end }]) => {
          const names = frames.map(({ event }) => event ?? '');
          const completed = frames.filter(({ event }) => event === 'inventory.refresh.completed');
          const ids = completed.map(({ data }): string => JSON.parse(data).id);
          const isOne = isDone({ events: ids, frames: names, end: end() });
          return isOne ? [] : `${library} ${way}: ${names} ${end()}`;
        }),
      );
      if (left.length > 0) throw new Error(left.join('\n'));
      return true as const;
    },
    withinMs === undefined ? {} : { withinMs },
  );
}

test('HTTP clients of Python, Go, Java and curl have each frame at once and take the end as complete, direct and through nginx and Go (Events: framing) [events-framing]', async () => {
  const ways = { direct: stack.gatewayUrl, ...proxies.urls };
  const path = `/v2/projects/${customer.projectId}/events/stream`;
  const addresses = Object.fromEntries(
    Object.entries(ways).map(([way, url]) => [way, `${url}${path}`]),
  );
  const programs = await readerPrograms();
  readers = programs.map((one) => startLineReader(one, addresses, customer.secret));
  await untilAll('each has its checkpoint', ({ frames }) => frames[0] === 'checkpoint');

  for (let count = 1; count <= events; count += 1) {
    await customer.api.accepted(sizeScope(3, count));
    const log = await waitFor('the refresh is in the log', async () => {
      const entries = await readProjectLog(stack, customer.projectId);
      return entries.length === count && entries;
    });
    const stored = log.map(({ eventId }) => eventId).join();
    // The next one is not appended before: nothing pushes it on.
    await untilAll('each has the event', (one) => one.events.join() === stored, deliveredMs);
  }
  await stack.service('gateway').stop();
  await untilAll('each ends', ({ end }) => end !== null);

  const ends = readers.flatMap(({ library, streams }) =>
    [...streams].map(([way, { frames, end }]) => [library, way, frames.at(-1)?.event, end()]),
  );
  expect(ends.filter(([, , frame, end]) => frame !== 'stream.closing' || end !== '!end')).toEqual(
    [],
  );
  expect(ends.length).toBe(programs.length * Object.keys(ways).length);
});
