import { newScope } from '@inventory/testkit/builders';
import { waitFor } from '@inventory/testkit/wait-for';
import { callApi } from './support/api-call.ts';
import { currentPathOf } from './support/paths.ts';
import { type GatewayWorld, openWorld } from './support/test-gateway.ts';
import {
  issueCredential,
  operate,
  startWholeGateway,
  type WholeGateway,
} from './support/whole-gateway.ts';

/** docs/operators/rotating-secrets.md; shorter than what a replica keeps of a key by itself. */
const promisedMs = 2_000;
type Issued = Awaited<ReturnType<typeof issueCredential>>;
let world: GatewayWorld;
let first: WholeGateway;
let gateways: readonly WholeGateway[];

beforeAll(async () => {
  world = await openWorld();
  const [one, other] = await Promise.all([startWholeGateway(world), startWholeGateway(world)]);
  first = one;
  gateways = [one, other];
});
afterAll(() => world?.close());

test.each([
  [
    'a revocation',
    ({ credentialId }: Issued) => operate(first, `/credentials/${credentialId}/revoke`),
  ],
  [
    'a suspension',
    ({ accountId }: Issued) =>
      operate(first, `/accounts/${accountId}`, { state: 'suspended' }, 'PATCH'),
  ],
  [
    'a rotation',
    ({ credentialId }: Issued) => operate(first, `/credentials/${credentialId}/rotate`),
  ],
] as const)(
  '%s closes a key in use on every replica within 2 s (Operating surface)',
  async (_what, close) => {
    for (let round = 0; round < 5; round += 1) {
      const issued = await issueCredential(first);
      const path = currentPathOf(newScope());
      const statuses = () =>
        Promise.all(
          gateways.map(
            async ({ publicUrl }) => (await callApi(publicUrl, { path, key: issued.key })).status,
          ),
        );
      expect(await statuses()).toEqual([404, 404]);

      // The promise counts from the answer.
      await close(issued);

      await waitFor(
        'both replicas refuse the key',
        async () => (await statuses()).every((status) => status === 401),
        { withinMs: promisedMs },
      );
    }
  },
);
