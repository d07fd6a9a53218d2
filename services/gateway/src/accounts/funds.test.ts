import type { AccountFunds } from '@inventory/contracts/internal/ledger';
import type { PriceList } from '@inventory/contracts/messages/price-list';
import { newAccountId, newCredentialId, newProjectId } from '@inventory/testkit/builders';
import { createFunds, type Purchase } from './funds.ts';

const accountId = newAccountId();
const projectId = newProjectId();
const resets_at = '2026-12-01T00:00:00.000Z';

interface Funds {
  readonly credits?: number;
  readonly units?: number;
  readonly cap?: { readonly cap: number; readonly spent: number };
  readonly credentialCap?: Funds['cap'];
  readonly price?: number | null;
}

const credentialId = newCredentialId();
const buyer = { accountId, projectId, credentialId };
const page: Purchase = { ...buyer, productCode: 'platform.inventory.page.v1' };

function check({ credits = 0, units, cap, credentialCap, price = 1 }: Funds) {
  const resetsAtMs = Date.parse(resets_at);
  const funds: AccountFunds = {
    accountId,
    asOfSeq: 1,
    asset: units === undefined ? 'credits' : 'units',
    available: units ?? credits,
    spendCap: cap ? { projectId, ...cap, resetsAtMs } : null,
    credentialSpendCap: credentialCap ? { credentialId, ...credentialCap, resetsAtMs } : null,
  };
  const currentPrices = () => (price === null ? null : ({ livePage: price } as PriceList));
  const ledger = { readFunds: async () => funds };
  return createFunds({ ledger, prices: { currentPrices } }).checkFunds(page);
}

test.each<[string, Funds]>([
  ['exactly its price', { credits: 1 }],
  ['units, and no credits', { units: 1 }],
  ['headroom below its cap', { credits: 5, cap: { cap: 3, spent: 2 } }],
  ['headroom below the cap of its Credential', { credits: 5, credentialCap: { cap: 3, spent: 2 } }],
  ['a price that is not known yet: the charge decides', { price: null }],
])('a page is read with %s', async (_what, funds) => {
  expect(await check(funds)).toBeNull();
});

test.each<[string, Funds, object]>([
  [
    'no credits',
    { credits: 0 },
    { code: 'insufficient_credits', detail: { required: 1, available: 0 } },
  ],
  [
    'credits that a subscription does not pay with',
    { credits: 9, units: 0 },
    { code: 'insufficient_units', detail: { required: 1, available: 0 } },
  ],
  [
    'neither credits nor headheadroom below its cap',
    { credits: 0, cap: { cap: 3, spent: 3 } },
    { code: 'insufficient_credits' },
  ],
  [
    "its Project's cap reached",
    { credits: 9, cap: { cap: 3, spent: 3 } },
    { code: 'spend_cap_reached', detail: { cap: 3, spent: 3, resets_at } },
  ],
  [
    'less than its price left of the cap',
    { credits: 9, price: 2, cap: { cap: 3, spent: 2 } },
    { code: 'spend_cap_reached', detail: { scope: 'project', cap: 3, spent: 2, resets_at } },
  ],
  [
    "its Credential's cap reached",
    { credits: 9, cap: { cap: 3, spent: 2 }, credentialCap: { cap: 2, spent: 2 } },
    { code: 'spend_cap_reached', detail: { scope: 'credential', cap: 2, spent: 2, resets_at } },
  ],
  [
    'both caps reached',
    { credits: 9, cap: { cap: 3, spent: 3 }, credentialCap: { cap: 2, spent: 2 } },
    { code: 'spend_cap_reached', detail: { scope: 'project', cap: 3, spent: 3, resets_at } },
  ],
])(
  'with %s the platform is not contacted (Errors: 402) [insufficient-credits-insufficient-units]',
  async (_what, funds, refusal) => {
    expect(await check(funds)).toMatchObject(refusal);
  },
);

describe('a purchase after one that was refused', () => {
  const refresh: Purchase = { ...page, productCode: 'platform.inventory.refresh.v1' };
  const prices = { livePage: 1, currentPage: 1, refreshReservation: 125 } as PriceList;

  function openAccount(credits: number) {
    const account = { credits, reads: 0, isReadable: true };
    const readFunds = async (): Promise<AccountFunds> => {
      account.reads += 1;
      if (!account.isReadable) throw new Error('the ledger is unavailable');
      const subject = { accountId, asOfSeq: 1, asset: 'credits' } as const;
      const caps = { spendCap: null, credentialSpendCap: null };
      return { ...subject, available: account.credits, ...caps };
    };
    const funds = createFunds({ ledger: { readFunds }, prices: { currentPrices: () => prices } });
    return { account, funds };
  }

  test('is checked first, until it can be paid: a top-up counts at once', async () => {
    const { account, funds } = openAccount(0);
    expect(await funds.recheckFunds(page)).toBeNull();
    expect(account.reads).toBe(0);
    funds.recordRefusal(page);

    const refusals = [await funds.recheckFunds(page), await funds.recheckFunds(refresh)];
    account.credits = 1;
    const paid = [await funds.recheckFunds(page), await funds.recheckFunds(page)];

    expect(refusals).toEqual(
      [1, 125].map((required) => ({
        code: 'insufficient_credits',
        detail: { required, available: 0 },
      })),
    );
    expect(paid).toEqual([null, null]);
    expect(account.reads).toBe(3);
  });

  test('is not checked where it costs less, or is of another Project', async () => {
    const { account, funds } = openAccount(100);
    funds.recordRefusal(refresh);

    const others = [page, { ...refresh, projectId: newProjectId() }];

    for (const other of others) expect(await funds.recheckFunds(other)).toBeNull();
    expect(account.reads).toBe(0);
    expect(await funds.recheckFunds(refresh)).not.toBeNull();
  });

  test('is left to the ledger while its funds cannot be read', async () => {
    const { account, funds } = openAccount(0);
    funds.recordRefusal(page);
    account.isReadable = false;

    expect(await funds.recheckFunds(page)).toBeNull();
    await expect(funds.checkFunds(page)).rejects.toThrow('unavailable');
  });
});
