import { randomUUID } from 'node:crypto';
import {
  type ApiRequest,
  accountOption,
  type Command,
  type Option,
  type OptionValues,
  projectOption,
} from './command.ts';
import { keyOption } from './money-commands.ts';

const accountPath = (values: OptionValues) => `/accounts/${values.segment('account')}`;
const reasonOption: Option = {
  name: 'reason',
  kind: 'text',
  value: 'text',
  help: 'stands in the statement',
};

/** Without a key of the operator's own, each run is a change of its own. */
function change(values: OptionValues, path: string, body: object): ApiRequest {
  return {
    method: 'PUT',
    path,
    headers: { 'idempotency-key': values.text('key') ?? randomUUID() },
    body: { ...body, reason: values.text('reason') ?? null },
  };
}

/** How an account pays, and what its Projects may spend. */
export const termsCommands: readonly Command[] = [
  {
    words: ['terms'],
    summary: 'show how an account pays: funding, spend caps, balance alert',
    options: [accountOption],
    request: (values) => ({ method: 'GET', path: `${accountPath(values)}/terms` }),
  },
  {
    words: ['funding', 'set'],
    summary: 'let an account pay with prepaid credits or with monthly subscription units',
    options: [
      accountOption,
      { name: 'credits', kind: 'flag', help: 'prepaid credits, or' },
      {
        name: 'units-per-month',
        kind: 'number',
        value: 'units',
        help: 'a subscription with so many units in each UTC month',
      },
      reasonOption,
      keyOption,
    ],
    exactlyOne: [['credits', 'units-per-month']],
    request: (values) =>
      change(
        values,
        `${accountPath(values)}/funding`,
        values.flag('credits')
          ? { mode: 'credits' }
          : { mode: 'subscription', units_per_month: values.number('units-per-month') },
      ),
  },
  {
    words: ['spend-cap', 'set'],
    summary: 'limit what a Project may spend in a UTC month, open reservations included',
    options: [
      projectOption,
      { name: 'cap', kind: 'number', value: 'n', help: 'most credits or units a month' },
      { name: 'none', kind: 'flag', help: 'no cap' },
      reasonOption,
      keyOption,
    ],
    exactlyOne: [['cap', 'none']],
    request: (values) =>
      change(values, `/projects/${values.segment('project')}/spend-cap`, {
        cap: values.number('cap') ?? null,
      }),
  },
];
