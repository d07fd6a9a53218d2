import { systemClock } from '@inventory/runtime/clock';
import { newProjectId, newRequestId } from '@inventory/testkit/builders';
import { openEventStream } from './support/open-stream.ts';
import {
  type GatewayWorld,
  openWorld,
  startTestGateway,
  type TestGateway,
} from './support/test-gateway.ts';

let world: GatewayWorld;
let gateways: readonly TestGateway[];

beforeAll(async () => {
  world = await openWorld();
  gateways = [await startTestGateway(world), await startTestGateway(world)];
});
afterAll(() => world?.close());

function newReader() {
  const projectId = newProjectId();
  const permissions = ['customer.events.read.v1'] as const;
  const { key, principal } = world.issue({ projectId, eventsEnabled: true, permissions });
  const open = (at = 0) => openEventStream(gateways[at]?.url ?? '', { projectId, key });
  return { principal, open };
}

/** Its Credentials are in no store: whatever is checked is revoked. */
const announceChange = (accountId: `acc_${string}`) =>
  world.bus.publish([
    {
      type: 'authority.changed.v1',
      id: `authority-changed:${newRequestId()}`,
      body: {
        accountId,
        projectId: null,
        credentialId: null,
        atMs: systemClock.now(),
      },
    },
  ]);

test('a change ends the streams of its account on every replica, also those that a cached Principal opens after it, and no other (Events: stream.authorization_revoked) [events-revoked]', async () => {
  const [reader, other] = [newReader(), newReader()];
  const [one, two, unrelated] = [await reader.open(0), await reader.open(1), await other.open(0)];

  await announceChange(reader.principal.accountId);
  const ends = await Promise.all(
    [one, two].map((stream) => stream.received('stream.authorization_revoked')),
  );
  const late = await reader.open(0);

  expect(late.status).toBe(200);
  expect(await late.received('stream.authorization_revoked')).toMatch(/^event: checkpoint\n/);
  for (const text of ends) expect(text).toContain('{"reason":"credential_revoked"}');
  expect(unrelated.text()).not.toContain('stream.authorization_revoked');
  unrelated.cut();
});
