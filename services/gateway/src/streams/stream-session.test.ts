import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import { createTestClock } from '@inventory/testkit/test-clock';
import fc from 'fast-check';
import { createMemoryLog, type MemoryLog, nextRound } from '../../test/support/memory-log.ts';
import {
  RecordedConnection,
  sealPosition as sealReadable,
  sessionContext,
  type TestStream,
} from '../../test/support/test-streams.ts';
import { checkpointFrame } from './event-frame.domain.ts';
import type { EventStreamClient } from './event-stream-client.ts';
import type { StreamServices } from './open-event-streams.ts';
import { openStream } from './open-stream.ts';
import { createProjectHub } from './project-hub.ts';
import { createProjectHubs, type ProjectHubs } from './project-hubs.ts';
import type { StreamPosition } from './stream-position.domain.ts';
import { StreamSession } from './stream-session.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 7, numRuns: 10_000, endOnFailure: true };

const projectId = newProjectId();
const clock = createTestClock();
const reader = { accountId: newAccountId(), secretDigest: '', clientAddress: '' };

const flushNow = (flush: () => void) => flush();

/** What a planted fault replaces. */
interface Parts {
  readonly sealPosition: (at: StreamPosition) => string;
  readonly client: EventStreamClient;
}

const sealPosition = (at: StreamPosition) => sealReadable(projectId, at);

function openPosition(cursor: string): StreamPosition {
  const [logEpoch = 0, position = 0] = cursor.split('.').map(Number);
  return { logEpoch, position, asOfMs: 0 };
}

/** A client that applies whole frames, remembers the last id, and comes back after every cut. */
class Client {
  readonly applied: string[] = [];
  readonly controls: string[] = [];
  cursor: string | null = null;
  startedAt = -1;
  #open: TestStream | undefined;
  #slow = false;
  readonly #hubs: ProjectHubs;
  readonly #parts: Parts;
  readonly #types: ReadonlySet<string> | null;

  constructor(hubs: ProjectHubs, parts: Parts, types: ReadonlySet<string> | null) {
    this.#hubs = hubs;
    this.#parts = parts;
    this.#types = types;
  }

  async connect(): Promise<void> {
    const { client, sealPosition: seal } = this.#parts;
    const sealed = (_id: string, at: StreamPosition) => seal(at);
    const cursor = this.cursor === null ? null : openPosition(this.cursor);
    const context = sessionContext({ log: client, sealPosition: sealed });
    const services = only<StreamServices>({ hubs: this.#hubs, session: context, clock });
    const start = await openStream(services, projectId, cursor).catch(() => null);
    if (!start) return;
    const { hub, after, recovery } = start;
    const connection = new RecordedConnection();
    connection.isFull = this.#slow;
    const types = this.#types;
    const session = new StreamSession(context, { reader, hub, after, types, connection });
    this.#open = { session, connection };
    session.write(checkpointFrame(sealPosition(after), 'now'));
    if (recovery) session.end(recovery);
    else session.sendPending();
  }

  get isConnected(): boolean {
    // The server may have ended it.
    if (this.#open?.connection.lastFrame) this.cut(0);
    return this.#open !== undefined;
  }

  setSlow(slow: boolean): void {
    this.#slow = slow;
    if (!this.#open) return;
    this.#open.connection.isFull = slow;
    if (!slow) this.#open.session.drained();
  }

  isWanted({ type }: { readonly type: string }): boolean {
    return this.#types === null || this.#types.has(type);
  }

  /** Nothing is written for longer than a heartbeat takes. */
  waitForHeartbeat(): void {
    for (let second = 0; second < 20; second += 1) this.#open?.session.tick();
  }

  /** The connection breaks; of what came last some bytes never arrive. */
  cut(bytesLost: number): void {
    if (!this.#open) return;
    const { session, connection } = this.#open;
    this.#open = undefined;
    session.detach();
    this.apply(connection.text.slice(0, Math.max(0, connection.text.length - bytesLost)));
  }

  takeAll(): void {
    if (!this.#open) return;
    const { connection } = this.#open;
    const whole = connection.text.lastIndexOf('\n\n') + 2;
    this.apply(connection.text.slice(0, whole));
    connection.text = connection.text.slice(whole);
  }

  private apply(text: string): void {
    for (const frame of text.split('\n\n').slice(0, -1)) {
      const fields = new Map(frame.split('\n').map((line) => [line.split(': ')[0], line]));
      const event = fields.get('event')?.slice('event: '.length) ?? '';
      const id = fields.get('id')?.slice('id: '.length);
      if (id === undefined && event !== '') this.controls.push(event);
      if (id === undefined) continue;
      // Who lost even its first checkpoint starts anew.
      if (this.cursor === null) this.startedAt = openPosition(id).position;
      this.cursor = id;
      if (event !== 'checkpoint') this.applied.push(JSON.parse(frame.split('data: ')[1] ?? '').id);
    }
  }
}

type Action =
  | { readonly do: 'append'; readonly announce: readonly ('once' | 'twice' | 'never' | 'late')[] }
  | {
      readonly do: 'connect' | 'slow' | 'quick' | 'cut';
      readonly client: number;
      readonly bytesLost?: number;
    }
  | { readonly do: 'sweep' | 'rounds' | 'fail' | 'heartbeat' };

const clientsMax = 3;
const clientNumber = fc.nat(clientsMax - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constant('append' as const),
    announce: fc.array(fc.constantFrom('once', 'twice', 'never', 'late'), {
      minLength: 1,
      maxLength: 4,
    }),
  }),
  fc.record({ do: fc.constantFrom('connect', 'slow', 'quick'), client: clientNumber }),
  fc.record({ do: fc.constant('cut' as const), client: clientNumber, bytesLost: fc.nat(700) }),
  fc.record({ do: fc.constantFrom('sweep', 'rounds', 'fail', 'heartbeat') }),
);

interface World {
  readonly log: MemoryLog;
  readonly hubs: ProjectHubs;
  readonly clients: readonly Client[];
  readonly late: number[];
}

function announce({ log, hubs }: World, position: number): void {
  const event = log.events[position - 1];
  if (event) hubs.appendEvent({ projectId, logEpoch: 1, position, event, appendedAtMs: null });
}

async function act(world: World, step: Action): Promise<void> {
  const { log, hubs, clients, late } = world;
  if (step.do === 'append') {
    for (const how of step.announce) {
      const position = log.append(typeAt(log.events.length));
      if (how === 'once' || how === 'twice') announce(world, position);
      if (how === 'twice') announce(world, position);
      if (how === 'late') late.push(position);
    }
  } else if (step.do === 'sweep') await hubs.compareHeads().catch(() => {});
  else if (step.do === 'fail') log.failNext(2);
  else if (step.do === 'heartbeat') for (const client of clients) client.waitForHeartbeat();
  else if (step.do === 'rounds') {
    for (const position of late.splice(0).reverse()) announce(world, position);
    for (let round = 0; round < 4; round += 1) await nextRound();
  } else if ('client' in step) {
    const client = clients[step.client];
    if (step.do === 'connect' && !client?.isConnected) await client?.connect();
    if (step.do === 'slow') client?.setSlow(true);
    if (step.do === 'quick') client?.setSlow(false);
    if (step.do === 'cut') client?.cut(step.bytesLost ?? 0);
  }
}

const types = ['inventory.refresh.completed', 'inventory.watch.paused', 'inventory.later.type'];
const typeAt = (index: number) => types[((index * index) % 5) % types.length] ?? '';

function expectedOf(log: MemoryLog, client: Client): string[] {
  const events = client.startedAt < 0 ? [] : log.events.slice(client.startedAt);
  return events.filter((event) => client.isWanted(event)).map(({ id }) => id);
}

/** Every reader reconnects and reads up to the head. */
async function settle({ log, hubs, clients }: World): Promise<void> {
  log.failNext(0);
  for (const client of clients) client.setSlow(false);
  for (let round = 0; round < 60; round += 1) {
    for (const client of clients) if (!client.isConnected) await client.connect();
    await hubs.compareHeads();
    for (let round = 0; round < 4; round += 1) await nextRound();
    for (const client of clients) client.takeAll();
    const isThrough = (client: Client) =>
      client.applied.at(-1) === expectedOf(log, client).at(-1) && client.startedAt >= 0;
    if (clients.every(isThrough)) return;
  }
}

async function run(
  steps: readonly Action[],
  fault: (log: MemoryLog) => Partial<Parts> = () => ({}),
) {
  const log = createMemoryLog(projectId);
  const parts: Parts = { sealPosition, client: log.client, ...fault(log) };
  const hubs = createProjectHubs({
    log: parts.client,
    sealPosition: (_id, at) => parts.sealPosition(at),
    limits: { entriesMax: 4, bytesMax: 10_000 },
    logger: testLogger,
    clock,
    bytesMax: 100_000,
    idleSweeps: 2,
  });
  const clients = [null, new Set(types.slice(0, 1)), new Set(types.slice(1))].map(
    (wanted) => new Client(hubs, parts, wanted),
  );
  const world: World = { log, hubs, clients, late: [] };
  for (let before = 0; before < 3; before += 1) log.append(typeAt(before));
  for (const step of steps) await act(world, step);
  await settle(world);
  for (const client of clients) {
    const expected = expectedOf(log, client);
    if (client.applied.join() !== expected.join()) {
      throw new Error(`applied ${client.applied.length} of ${expected.length} events`);
    }
  }
}

const steps = fc.array(action, { maxLength: 25 });
const everyEventOnce = (fault?: (log: MemoryLog) => Partial<Parts>) =>
  fc.asyncProperty(steps, (some) => run(some, fault));

describe('a client that follows a Project', () => {
  test('applies every event of its types once and in order, whatever is lost, doubled, late, slow, left out or cut at any byte (Events; types) [events-gapless]', async () => {
    await fc.assert(everyEventOnce(), { numRuns: propertyRuns(2_000) });
  });

  test('would not, if a batch of the log left an entry out', async () => {
    const planted = (log: MemoryLog): Partial<Parts> => ({
      client: {
        ...log.client,
        readLogBatch: async (id, after, limit) => {
          const batch = await log.client.readLogBatch(id, after, limit);
          return { ...batch, items: batch.items.filter(({ position }) => position !== after + 1) };
        },
      },
    });
    const result = await fc.check(everyEventOnce(planted), faultRuns);
    expect(result.failed).toBe(true);
  });

  test('would not, if the cursor of an event named the position after the next one', async () => {
    const planted = (): Partial<Parts> => ({
      sealPosition: (at) => sealPosition({ ...at, position: at.position + 1 }),
    });
    const result = await fc.check(everyEventOnce(planted), faultRuns);
    expect(result.failed).toBe(true);
  });

  test('is sent the position after events that it does not want, instead of a heartbeat (Free looks and findable lists: types) [events-gapless]', async () => {
    const log = createMemoryLog(projectId);
    const limits = { entriesMax: 4, bytesMax: 10_000 };
    const parts = { log: log.client, sealPosition: sealReadable, limits, flushSoon: flushNow };
    const start = { logEpoch: 1, head: 0 };
    const hub = createProjectHub({ ...parts, logger: testLogger, clock }, projectId, start);
    const context = sessionContext({ log: log.client });
    const after = { logEpoch: 1, position: 0, asOfMs: 0 };
    const open = (wanted: ReadonlySet<string> | null) => {
      const connection = new RecordedConnection();
      const session = new StreamSession(context, { reader, hub, after, types: wanted, connection });
      return { session, connection };
    };
    const [all, none] = [open(null), open(new Set(['inventory.watch.paused']))];
    for (const position of [log.append(), log.append()]) {
      const event = log.events[position - 1];
      if (event) hub.appendEvent({ projectId, logEpoch: 1, position, event, appendedAtMs: null });
    }
    for (let second = 0; second < 60; second += 1)
      for (const { session } of [all, none]) session.tick();

    const idsOf = ({ connection }: TestStream) => connection.text.match(/(?<=^id: ).+$/gm);
    expect(idsOf(all)).toEqual(['1.1', '1.2']);
    expect(idsOf(none)).toEqual(['1.2']);
    expect(none.connection.text).toContain('event: checkpoint\nid: 1.2\ndata: {"as_of":"');
    expect(none.connection.heartbeats).toBeGreaterThan(0);
  });
});
