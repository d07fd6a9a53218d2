import { randomUUID } from 'node:crypto';
import {
  type ApiRequest,
  accountOption,
  type Command,
  listOptions,
  listQuery,
  type Option,
  type OptionValues,
} from './command.ts';

/** Largest part of a list that the API gives. */
const partMax = 100;

export const keyOption: Option = {
  name: 'key',
  kind: 'text',
  value: 'text',
  help: 'idempotency key: the same key again books nothing more; made up when not given',
};

const accountPath = (values: OptionValues) => `/accounts/${values.segment('account')}`;

/** Without a key of the operator's own, each run is a booking of its own. */
function booking(
  values: OptionValues,
  part: 'top-ups' | 'adjustments' | 'unit-grants',
): ApiRequest {
  return {
    method: 'POST',
    path: `${accountPath(values)}/${part}`,
    headers: { 'idempotency-key': values.text('key') ?? randomUUID() },
    body: {
      ...(values.flag('units') ? { asset: 'units' } : {}),
      amount: values.number('amount'),
      reason: values.text('reason'),
    },
  };
}

/** Credits and units of an account. */
export const moneyCommands: readonly Command[] = [
  {
    words: ['top-up'],
    summary: 'add credits to an account',
    options: [
      accountOption,
      { name: 'amount', kind: 'number', value: 'credits', required: true, help: 'how many' },
      { name: 'reason', kind: 'text', value: 'text', help: 'stands in the statement' },
      keyOption,
    ],
    request: (values) => booking(values, 'top-ups'),
  },
  {
    words: ['grant-units'],
    summary: 'add subscription units to an account; they end with the UTC month',
    options: [
      accountOption,
      { name: 'amount', kind: 'number', value: 'units', required: true, help: 'how many' },
      { name: 'reason', kind: 'text', value: 'text', help: 'stands in the statement' },
      keyOption,
    ],
    request: (values) => booking(values, 'unit-grants'),
  },
  {
    words: ['adjust'],
    summary: 'correct the available credits of an account, up or down',
    options: [
      accountOption,
      { name: 'amount', kind: 'number', value: '±credits', required: true, help: 'how many' },
      { name: 'units', kind: 'flag', help: 'subscription units instead of credits' },
      { name: 'reason', kind: 'text', value: 'text', required: true, help: 'why' },
      keyOption,
    ],
    request: (values) => booking(values, 'adjustments'),
  },
  {
    words: ['balance'],
    summary: 'show what an account has: total, held, available',
    options: [accountOption],
    request: (values) => ({ method: 'GET', path: `${accountPath(values)}/balance` }),
  },
  {
    words: ['holds'],
    summary: 'list the open reservations of an account, oldest first',
    options: [accountOption, ...listOptions],
    columns: ['refresh_id', 'project_id', 'asset', 'amount', 'price_version', 'reserved_at'],
    request: (values) => ({
      method: 'GET',
      path: `${accountPath(values)}/holds`,
      query: listQuery(values),
    }),
  },
  {
    words: ['statement'],
    summary: 'list every movement of an account, oldest first',
    options: [
      accountOption,
      ...listOptions,
      { name: 'csv', kind: 'flag', help: 'as CSV' },
      { name: 'all', kind: 'flag', help: 'with --csv: the whole statement, not one part of it' },
    ],
    columns: [
      ...['at', 'kind', 'asset', 'change_available', 'change_held', 'available_after'],
      ...['held_after', 'refresh_id', 'reason'],
    ],
    request: (values) => ({
      method: 'GET',
      path: `${accountPath(values)}/statement`,
      query: {
        ...listQuery(values),
        ...(values.flag('all') ? { limit: partMax } : {}),
        format: values.flag('csv') ? 'csv' : 'json',
      },
    }),
  },
];
