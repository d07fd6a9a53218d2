import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { Credential } from '../tenancy/tenancy.domain.ts';
import { createWatchEligibility } from './watch-eligibility.ts';

const uuid = '0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';
const owner = { projectId: `prj_${uuid}`, accountId: `acc_${uuid}` } as const;
const nowMs = Date.UTC(2026, 10, 26);
const may: Partial<Credential> = { state: 'active', scopes: ['*'], expiresAtMs: null };

interface Owners {
  readonly project?: string;
  readonly account?: string;
  readonly credentials?: readonly Partial<Credential>[];
}

function eligibility({ project = 'active', account = 'active', credentials = [may] }: Owners) {
  let reads = 0;
  const listed = credentials.map((one, at) => ({
    credentialId: `cred_${String(at).padStart(4, '0')}`,
    ...one,
  }));
  const owners = {
    findProject: async () => ({ state: project }),
    findAccount: async () => ({ state: account }),
    async listCredentials(_id: string, part: { afterId: string | null; limit: number }) {
      reads += 1;
      const after = listed.filter(
        ({ credentialId: id }) => part.afterId === null || id > part.afterId,
      );
      return after.slice(0, part.limit);
    },
  } as unknown as Parameters<typeof createWatchEligibility>[0];
  const eligibilityOf = createWatchEligibility(owners, createTestClock(nowMs));
  return { of: () => eligibilityOf(only(owner)), reads: () => reads };
}

test.each([
  ['active', {}],
  ['owner_suspended', { project: 'suspended' }],
  ['owner_suspended', { account: 'suspended' }],
  ['permission_removed', { credentials: [] }],
  ['permission_removed', { credentials: [{ ...may, state: 'revoked' }] }],
  ['permission_removed', { credentials: [{ ...may, expiresAtMs: nowMs }] }],
  ['permission_removed', { credentials: [{ ...may, scopes: ['customer.events.read.v1'] }] }],
  [
    'active',
    {
      credentials: [
        { ...may, state: 'revoked' },
        { ...may, expiresAtMs: nowMs + 1 },
      ],
    },
  ],
  [
    'active',
    { credentials: [...Array.from({ length: 250 }, () => ({ ...may, state: 'revoked' })), may] },
  ],
] as [string, Owners][])(
  'a watch is %s where its Project has %j (Watches: paused_reason) [watches]',
  async (expected, owners) => {
    expect(await eligibility(owners).of()).toBe(expected);
  },
);

test('the watches of a Project that are due together read its owners once', async () => {
  const { of, reads } = eligibility({});
  await of();
  await of();
  expect(reads()).toBe(1);
});
