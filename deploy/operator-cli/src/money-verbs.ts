import {
  account,
  flag,
  key,
  part,
  project,
  reason,
  required,
  text,
  type Verb,
  verb,
  whole,
} from './verb.ts';

const amount = (flags: string) => required(whole(flags, 'how many', 'amount'));

/** Credits and units of an account, and how it pays. */
export const moneyVerbs: readonly Verb[] = [
  verb('top-up', 'add credits to an account', 'topUp', [
    account,
    amount('--amount <credits>'),
    reason,
    key,
  ]),
  verb(
    'grant-units',
    'add subscription units to an account; they end with the UTC month',
    'grantUnits',
    [account, amount('--amount <units>'), reason, key],
  ),
  verb('adjust', 'correct the available credits of an account, up or down', 'adjust', [
    account,
    amount('--amount <±credits>'),
    flag('--units', 'subscription units instead of credits', { asset: 'units' }),
    required(text('--reason <text>', 'why', 'reason')),
    key,
  ]),
  verb('balance', 'show what an account has: total, held, available', 'readBalance', [account]),
  verb(
    'holds',
    'list the open reservations of an account, oldest first',
    'listHolds',
    [account, ...part],
    {
      columns: ['refresh_id', 'project_id', 'asset', 'amount', 'price_version', 'reserved_at'],
    },
  ),
  verb(
    'statement',
    'list every movement of an account, oldest first',
    'readStatement',
    [
      account,
      ...part,
      flag('--csv', 'as CSV', { format: 'csv' }),
      flag('--all', 'with --csv: the whole statement, not one part of it', { limit: 100 }),
    ],
    {
      fixed: { format: 'json' },
      columns: [
        ...['at', 'kind', 'asset', 'change_available', 'change_held', 'available_after'],
        ...['held_after', 'refresh_id', 'reason'],
      ],
    },
  ),
  verb('terms', 'show how an account pays: funding, spend caps, balance alert', 'readTerms', [
    account,
  ]),
  verb(
    'funding set',
    'let an account pay with prepaid credits or with monthly subscription units',
    'setFunding',
    [
      account,
      flag('--credits', 'prepaid credits, or', { mode: 'credits' }),
      whole(
        '--units-per-month <units>',
        'a subscription with so many units in each UTC month',
        'units_per_month',
      ),
      reason,
      key,
    ],
    { fixed: { mode: 'subscription' }, exactlyOne: [['credits', 'units-per-month']] },
  ),
  verb(
    'spend-cap set',
    'limit what a Project may spend in a UTC month, open reservations included',
    'setSpendCap',
    [
      project,
      whole('--cap <n>', 'most credits or units a month', 'cap'),
      flag('--none', 'no cap', { cap: null }),
      reason,
      key,
    ],
    { exactlyOne: [['cap', 'none']] },
  ),
];
