import { environmentOf } from '@inventory/contracts/environment';
import { accountId, projectId } from '@inventory/contracts/ids';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { foundCredential } from '../../test/support/found-credential.ts';
import { firstProjectOf, sandboxTwinId, sandboxTwinOf } from './sandbox-twin.ts';

const accounts = fc.uuid({ version: 7 }).map((uuid) => `acc_${uuid}` as const);

test('the sandbox of an account has one id, which no other account has and which says that it is one (Sandbox) [sandbox]', () => {
  fc.assert(
    fc.property(accounts, accounts, (one, other) => {
      expect(sandboxTwinId(one)).toBe(sandboxTwinId(one));
      expect(sandboxTwinId(one) === sandboxTwinId(other)).toBe(one === other);
      expect(environmentOf(sandboxTwinId(one))).toBe('sandbox');
      expect(accountId.parse(sandboxTwinId(one))).not.toBe(one);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test('an id of a sandbox stays the same for ever: it is derived again each time', () => {
  const twin = sandboxTwinId('acc_01890a5d-ac96-774b-bcce-b302099a8057');

  expect(twin).toMatchInlineSnapshot(`"acc_8125ce79-8ed0-82b8-8ad0-32fe80138328"`);
});

test('a sandbox begins as its account is, with events on and lower limits, and a Project of one id', () => {
  const parent = foundCredential({ account: { networkPolicy: ['192.0.2.0/24'] } }).account;

  const twin = sandboxTwinOf(parent, 5);

  expect(twin).toMatchObject({
    parentAccountId: parent.accountId,
    state: 'active',
    networkPolicy: ['192.0.2.0/24'],
    rateLimitPerMinute: 60,
    eventsEnabled: true,
  });
  const project = firstProjectOf(twin, 5);
  expect(firstProjectOf(twin, 6).projectId).toBe(project.projectId);
  expect(projectId.parse(project.projectId)).not.toBe(firstProjectOf(parent, 5).projectId);
});
