import type { AccountFunds, PriceList } from '@inventory/contracts/internal/ledger';
import { newAccountId, newProjectId } from '@inventory/testkit/builders';
import { checkFunds } from './check-funds.ts';

const accountId = newAccountId();
const projectId = newProjectId();
const resets_at = '2026-12-01T00:00:00.000Z';

interface Funds {
  readonly credits?: number;
  readonly units?: number;
  readonly cap?: { readonly cap: number; readonly spent: number };
  readonly price?: number | null;
}

function check({ credits = 0, units, cap, price = 1 }: Funds) {
  const funds: AccountFunds = {
    account_id: accountId,
    as_of_seq: 1,
    asset: units === undefined ? 'credits' : 'units',
    available: units ?? credits,
    spend_cap: cap ? { project_id: projectId, ...cap, resets_at } : null,
  };
  const currentPrices = () => (price === null ? null : ({ live_page: price } as PriceList));
  const ledger = { readFunds: async () => funds };
  return checkFunds({ ledger, prices: { currentPrices } }, { accountId, projectId });
}

test.each<[string, Funds]>([
  ['exactly its price', { credits: 1 }],
  ['units, and no credits', { units: 1 }],
  ['room below its cap', { credits: 5, cap: { cap: 3, spent: 2 } }],
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
    'neither credits nor room below its cap',
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
    { code: 'spend_cap_reached', detail: { cap: 3, spent: 2, resets_at } },
  ],
])(
  'with %s the platform is not contacted (Errors: 402) [insufficient-credits-insufficient-units]',
  async (_what, funds, refusal) => {
    expect(await check(funds)).toMatchObject(refusal);
  },
);
