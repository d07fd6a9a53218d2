import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { createInternalClient } from '@inventory/http/internal-client';
import type { MessageBus } from '@inventory/messaging/bus';
import { type Clock, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openBackends } from '@inventory/service-host/open-backends';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { newAccountId, newProjectId, newRequestId, newScope } from '@inventory/testkit/builders';
import { type MessageRecorder, recordMessages } from '@inventory/testkit/message-recorder';
import { openNamespace, type TestNamespace } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { createTestClock } from '@inventory/testkit/test-clock';
import { startTestService, testServiceConfig } from '@inventory/testkit/test-service';
import { waitFor } from '@inventory/testkit/wait-for';
import type { ChainOwner } from '../src/captures/capture.domain.ts';
import { captureIndexes } from '../src/captures/capture-store.ts';
import { type LiveChain, openLiveChain } from '../src/captures/live-chain.domain.ts';
import { type Captures, openCaptures } from '../src/captures/open-captures.ts';
import { createStagingClient } from '../src/captures/staging-client.ts';
import type { GatewayConfig } from '../src/config.ts';
import {
  createPageIntentStore,
  type PageIntentStore,
  pageIntentIndexes,
} from '../src/pages/page-intent-store.ts';
import { createFakeStaging, type FakeStaging } from './support/fake-staging.ts';
import { type HttpFake, startHttpFake } from './support/http-fake.ts';
import { farMs, patientCaptures, patientDeadlines, patientLimits } from './support/patience.ts';

/** What a gateway replica has to do with captures, on its own database connections. */
interface Replica {
  readonly captures: Captures;
  readonly intents: PageIntentStore;
  readonly waiting: () => Promise<number>;
  stop(): Promise<void>;
}

let namespace: TestNamespace;
let bus: MessageBus;
let commands: MessageRecorder;
let staging: FakeStaging;
let stagingHttp: HttpFake;
let replicas: readonly [Replica, Replica];

async function startReplica(
  stagingTimeoutMs = patientCaptures.stagingTimeoutMs,
  clock: Clock = systemClock,
): Promise<Replica> {
  let replica: Omit<Replica, 'stop'> | undefined;
  async function start(context: ServiceContext<GatewayConfig>) {
    const { db, bus: own } = await openBackends(context, 'gateway', [
      pageIntentIndexes,
      captureIndexes,
    ]);
    const baseUrl = stagingHttp.url;
    const revisionStore = createInternalClient({
      service: 'revision-store',
      baseUrl,
      serviceToken: undefined,
      timeoutMs: farMs,
    });
    context.lifetime.defer('revision-store', () => revisionStore.close());
    const intents = createPageIntentStore(
      db,
      { ...patientDeadlines, ...patientLimits },
      context.logger,
    );
    const staged = createStagingClient(revisionStore, stagingTimeoutMs);
    const captures = openCaptures(context, { db, bus: own, intents, staging: staged });
    const waiting = () => db.collection('captures').countDocuments({ work: { $exists: true } });
    replica = { captures, intents, waiting };
    return { url: baseUrl };
  }
  const config = {
    ...testServiceConfig(namespace, 'gateway'),
    captures: { ...patientCaptures, stagingTimeoutMs },
    deadlines: patientDeadlines,
  } as GatewayConfig;
  const service = await startTestService({ config, clock, start });
  if (!replica) throw new Error('not started');
  return { ...replica, stop: () => service.stop() };
}

beforeAll(async () => {
  namespace = await openNamespace();
  bus = await openTestBus(namespace);
  commands = await recordMessages(bus, ['revision.commands.v1']);
  staging = createFakeStaging();
  stagingHttp = await startHttpFake(staging.respond);
  replicas = [await startReplica(), await startReplica()];
});
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await bus.close();
  await stagingHttp.close();
});

const newOwner = (): ChainOwner => ({
  accountId: newAccountId(),
  scope: newScope(),
  language: 'german',
});
const charged = { replayed: false };
const newChain = () => openLiveChain(systemIdentifiers.uuidV7(), systemClock.now());
const membersOf = (text: string) => Buffer.from(`"assets":["${text}"],"descriptions":[]`);

function page(chain: LiveChain, owner: ChainOwner, text: string, next: string | null) {
  const whole = membersOf(text);
  const members = [whole.subarray(0, 9), whole.subarray(9)];
  const ends = { nextStartAssetid: next, assetCount: 1, endCheck: null, totalCount: 3 };
  const inventoryEpoch = staging.epochOf(inventoryKeyText(owner.scope));
  return { chain, owner, members, inventoryEpoch, ...ends };
}

async function openIntent(replica: Replica, chain: LiveChain) {
  const intent = {
    requestId: newRequestId(),
    accountId: newAccountId(),
    projectId: newProjectId(),
    credentialId: null,
    productCode: 'platform.inventory.page.v1',
    chainId: chain.chainId,
    keyId: null,
    deadlineMs: systemClock.now() + farMs,
    reverseAtMs: systemClock.now() + 2 * farMs,
  } as const;
  await replica.intents.insertIntent(intent);
  return intent;
}

const sentOf = ({ chainId }: LiveChain) => commands.all.filter(({ key }) => key === chainId);
const sent = (chain: LiveChain) => waitFor('the chain is sent', () => sentOf(chain)[0]);

/** Another chain that is complete only now was sent: what was due before it was sent. */
async function duePasses(): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    const chain = newChain();
    await replicas[pass % 2 === 0 ? 0 : 1].captures
      .beginPage(page(chain, newOwner(), 'x', null))
      .conclude(charged);
    await sent(chain);
  }
}

describe('A chain of Live Pages (Reads: Capture) [capture]', () => {
  it('is sent without a page whose end moved: the page after it is that page, read again', async () => {
    const owner = newOwner();
    const chain = newChain();
    const [one, other] = replicas;

    const second = await one.captures.beginPage(page(chain, owner, '0', 'a')).conclude(charged);
    const again = { ...page(second, owner, '0 again', 'b'), endCheck: 'moved' as const };
    const third = await other.captures.beginPage(again).conclude(charged);
    await one.captures.beginPage(page(third, owner, '1', null)).conclude(charged);

    const { body } = await sent(chain);
    expect(body).toMatchObject({ pages: [{ page: 1 }, { page: 2 }] });
  });

  it('is staged and sent as a completed scan, its pages read through two replicas', async () => {
    const owner = newOwner();
    const chain = newChain();
    const [one, other] = replicas;

    const second = await one.captures.beginPage(page(chain, owner, '0', 'a')).conclude(charged);
    const third = await other.captures.beginPage(page(second, owner, '1', 'b')).conclude(charged);
    await one.captures.beginPage(page(third, owner, '2', null)).conclude(charged);

    const message = await sent(chain);
    expect(message).toMatchObject({
      type: 'revision.completed.v1',
      id: `completed:${chain.chainId}`,
      body: {
        scanId: chain.chainId,
        refreshId: null,
        source: 'capture',
        accountId: owner.accountId,
        scope: owner.scope,
        language: 'german',
        reportedTotalCount: 3,
        pages: [{ page: 0, epoch: 1 }, { page: 1 }, { page: 2 }],
      },
    });
    expect(staging.chunks.get(`${chain.chainId}/1/1/0`)?.text).toBe(`{${membersOf('1')}}`);
    await waitFor('nothing is left to send', async () => (await one.waiting()) === 0);
  });

  it('is cut into chunks of 2 MiB as every staged page is', async () => {
    const chain = newChain();
    const text = 'x'.repeat(5 * 1024 * 1024);

    await replicas[0].captures.beginPage(page(chain, newOwner(), text, null)).conclude(charged);

    const { body } = (await sent(chain)) as { body: { pages: { chunks: unknown[] }[] } };
    expect(body.pages[0]?.chunks).toHaveLength(3);
    const parts = [0, 1, 2].map((at) => staging.chunks.get(`${chain.chainId}/1/0/${at}`)?.text);
    expect(parts.join('')).toBe(`{${membersOf(text)}}`);
  });

  it('waits until no page of it has an open charge [live-page-waits]', async () => {
    const chain = newChain();
    const intent = await openIntent(replicas[0], chain);
    await replicas[1].captures.beginPage(page(chain, newOwner(), '0', null)).conclude(charged);
    await duePasses();
    expect(sentOf(chain)).toEqual([]);

    await replicas[0].intents.deleteIntent(intent.requestId);

    await sent(chain);
  });

  it('is never sent once a page of it was undone, before or after its end', async () => {
    const [before, after] = [newChain(), newChain()];
    await replicas[0].captures.excludeChain(before.chainId);
    await replicas[1].captures.beginPage(page(before, newOwner(), '0', null)).conclude(charged);
    const intent = await openIntent(replicas[0], after);
    await replicas[0].captures.beginPage(page(after, newOwner(), '0', null)).conclude(charged);
    await replicas[1].captures.excludeChain(after.chainId);
    await replicas[0].intents.deleteIntent(intent.requestId);

    await duePasses();

    expect([...sentOf(before), ...sentOf(after)]).toEqual([]);
    await waitFor('nothing is left to send', async () => (await replicas[0].waiting()) === 0);
  });

  it('ends its capture, for older cursors too, when a page comes again with other contents', async () => {
    const owner = newOwner();
    const chain = newChain();
    const second = await replicas[0].captures
      .beginPage(page(chain, owner, '0', 'a'))
      .conclude(charged);

    const changed = await replicas[1].captures
      .beginPage(page(chain, owner, 'other', 'a'))
      .conclude(charged);
    expect(changed).toMatchObject({ page: 1, startAssetid: 'a', evidence: null });
    const last = await replicas[0].captures
      .beginPage(page(second, owner, '1', null))
      .conclude(charged);
    expect(last.evidence).not.toBeNull();

    await duePasses();
    expect(sentOf(chain)).toEqual([]);
  });

  it('is sent all the same when a page comes again with the same contents', async () => {
    const owner = newOwner();
    const chain = newChain();
    await replicas[0].captures.beginPage(page(chain, owner, '0', 'a')).conclude(charged);
    const again = await replicas[1].captures
      .beginPage(page(chain, owner, '0', 'a'))
      .conclude(charged);

    await replicas[0].captures.beginPage(page(again, owner, '1', null)).conclude(charged);

    await sent(chain);
  });

  it('is still read and not captured while the store is unavailable', async () => {
    const chain = newChain();
    stagingHttp.isDown = true;
    const lost = await replicas[0].captures
      .beginPage(page(chain, newOwner(), '0', null))
      .conclude(charged);
    stagingHttp.isDown = false;

    expect(lost).toMatchObject({ page: 1, evidence: null });
    await duePasses();
    expect(sentOf(chain)).toEqual([]);
  });

  it('is read on and not captured when staging takes too long, or rests after that', async () => {
    const owner = newOwner();
    const [slow, resting] = [newChain(), newChain()];
    // Its clock does not move: it rests for as long as the test takes.
    const hanging = await startReplica(300, createTestClock(systemClock.now()));
    const gate = Promise.withResolvers<void>();
    staging.gate = gate.promise;
    const late = await hanging.captures.beginPage(page(slow, owner, '0', 'a')).conclude(charged);
    gate.resolve();
    const next = await hanging.captures
      .beginPage(page(resting, owner, '0', null))
      .conclude(charged);
    await hanging.stop();

    expect([late.evidence, next.evidence]).toEqual([null, null]);
    expect([...staging.chunks.keys()].filter((id) => id.includes(resting.chainId))).toEqual([]);
    // The page was staged in the end, but the cursor already has a chain that no longer captures.
    await replicas[0].captures.beginPage(page(slow, owner, '0', null)).conclude(charged);
    await duePasses();
    expect([...sentOf(slow), ...sentOf(resting)]).toEqual([]);
  });

  it('is sent by another replica when the one that read it is gone', async () => {
    const owner = newOwner();
    const chain = newChain();
    const third = await startReplica();
    const intent = await openIntent(third, chain);
    await third.captures.beginPage(page(chain, owner, '0', null)).conclude(charged);
    await third.stop();

    await replicas[0].intents.deleteIntent(intent.requestId);

    await sent(chain);
  });
});
