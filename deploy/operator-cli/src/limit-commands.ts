import {
  accountOption,
  type Command,
  credentialOption,
  type OptionValues,
  optional,
  projectOption,
} from './command.ts';

const accountPath = (values: OptionValues) => `/accounts/${values.segment('account')}`;

/** What an account, a Project or a Credential is limited to. */
export const limitCommands: readonly Command[] = [
  {
    words: ['network-policy', 'set'],
    summary: 'replace the networks that clients must come from; each level narrows the one above',
    options: [
      { ...optional(accountOption), help: 'limit all of an account, or' },
      { ...optional(projectOption), help: 'all of a Project, or' },
      { ...optional(credentialOption), help: 'one Credential' },
      { name: 'allow', kind: 'list', value: 'CIDR', help: 'IPv4 or IPv6 network; repeatable' },
      { name: 'none', kind: 'flag', help: 'no policy at this level' },
    ],
    exactlyOne: [
      ['account', 'project', 'credential'],
      ['allow', 'none'],
    ],
    request: (values) => ({
      method: 'PUT',
      path: `${ownerPath(values)}/network-policy`,
      body: { network_policy: values.list('allow') ?? null },
    }),
  },
  {
    words: ['rate-limit', 'set'],
    summary: 'set how many requests a minute all Credentials of an account share',
    options: [
      accountOption,
      { name: 'per-minute', kind: 'number', value: 'n', required: true, help: '1 to 1000000' },
    ],
    request: (values) => ({
      method: 'PUT',
      path: `${accountPath(values)}/rate-limit`,
      body: { limit_per_minute: values.number('per-minute') },
    }),
  },
  {
    words: ['events', 'on'],
    summary: 'let an account read its event streams',
    options: [accountOption],
    request: (values) => ({
      method: 'PUT',
      path: `${accountPath(values)}/events`,
      body: { enabled: true },
    }),
  },
  {
    words: ['events', 'off'],
    summary: 'close the event streams of an account; events are logged all the same',
    options: [accountOption],
    request: (values) => ({
      method: 'PUT',
      path: `${accountPath(values)}/events`,
      body: { enabled: false },
    }),
  },
];

function ownerPath(values: OptionValues): string {
  if (values.text('account') !== undefined) return `/accounts/${values.segment('account')}`;
  if (values.text('project') !== undefined) return `/projects/${values.segment('project')}`;
  return `/credentials/${values.segment('credential')}`;
}
