import type { Command, Option } from './command.ts';

const scopeOption = (name: string, value: string): Option => ({
  name,
  kind: 'text',
  value,
  required: true,
  help: `the inventory's ${name.replace('-', '_')}`,
});

const verifyTimeoutMs = 290_000;

/** The running services. */
export const serviceCommands: readonly Command[] = [
  {
    words: ['admission', 'show'],
    summary: 'show whether new refreshes are admitted, and how many are outstanding',
    options: [],
    request: () => ({ method: 'GET', path: '/admission' }),
  },
  {
    words: ['admission', 'close'],
    summary: 'admit no new refresh; accepted ones go on',
    options: [],
    request: () => ({ method: 'PUT', path: '/admission', body: { operator_closed: true } }),
  },
  {
    words: ['admission', 'open'],
    summary: 'take the closing back; the limit of outstanding refreshes stays in force',
    options: [],
    request: () => ({ method: 'PUT', path: '/admission', body: { operator_closed: false } }),
  },
  {
    words: ['erase'],
    summary: 'erase everything that is saved of one inventory',
    options: [
      scopeOption('platform-id', '17 digits'),
      scopeOption('app-id', 'n'),
      scopeOption('context-id', 'n'),
    ],
    request: (values) => {
      const scope = ['platform-id', 'app-id', 'context-id'].map((name) => values.segment(name));
      return { method: 'DELETE', path: `/inventories/${scope.join('/')}` };
    },
  },
  {
    words: ['verify'],
    summary: 'refold every account of the ledger; exit code 1 when a problem is found',
    options: [],
    mustHold: 'ok',
    request: () => ({ method: 'POST', path: '/ledger/verify', timeoutMs: verifyTimeoutMs }),
  },
];
