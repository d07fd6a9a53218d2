import {
  accountOption,
  type Command,
  listOptions,
  listQuery,
  type OptionValues,
  projectOption,
} from './command.ts';

const nameOption = { name: 'name', kind: 'text', value: 'text' } as const;
const accountColumns = ['account_id', 'name', 'state', 'rate_limit_per_minute', 'events_enabled'];
const projectColumns = ['project_id', 'name', 'state', 'network_policy', 'created_at'];

const accountPath = (values: OptionValues) => `/accounts/${values.segment('account')}`;
const projectPath = (values: OptionValues) => `/projects/${values.segment('project')}`;

/** Customer accounts and their Projects. */
export const accountCommands: readonly Command[] = [
  {
    words: ['account', 'create'],
    summary: 'create a customer account',
    options: [{ ...nameOption, required: true, help: 'what the account is called' }],
    request: (values) => ({
      method: 'POST',
      path: '/accounts',
      body: { name: values.text('name') },
    }),
  },
  {
    words: ['account', 'list'],
    summary: 'list accounts, oldest first',
    options: listOptions,
    columns: accountColumns,
    request: (values) => ({ method: 'GET', path: '/accounts', query: listQuery(values) }),
  },
  {
    words: ['account', 'show'],
    summary: 'show one account',
    options: [accountOption],
    request: (values) => ({ method: 'GET', path: accountPath(values) }),
  },
  {
    words: ['account', 'suspend'],
    summary: 'stop every Credential of an account, at once',
    options: [accountOption],
    request: (values) => ({ method: 'POST', path: `${accountPath(values)}/suspend` }),
  },
  {
    words: ['account', 'reactivate'],
    summary: 'take a suspension back',
    options: [accountOption],
    request: (values) => ({ method: 'POST', path: `${accountPath(values)}/reactivate` }),
  },
  {
    words: ['project', 'create'],
    summary: 'create a Project of an account',
    options: [accountOption, { ...nameOption, help: 'what the Project is called' }],
    request: (values) => ({
      method: 'POST',
      path: `${accountPath(values)}/projects`,
      body: { name: values.text('name') },
    }),
  },
  {
    words: ['project', 'list'],
    summary: 'list the Projects of an account, oldest first',
    options: [accountOption, ...listOptions],
    columns: projectColumns,
    request: (values) => ({
      method: 'GET',
      path: `${accountPath(values)}/projects`,
      query: listQuery(values),
    }),
  },
  {
    words: ['project', 'show'],
    summary: 'show one Project',
    options: [projectOption],
    request: (values) => ({ method: 'GET', path: projectPath(values) }),
  },
  {
    words: ['project', 'suspend'],
    summary: 'stop every Credential of a Project, at once',
    options: [projectOption],
    request: (values) => ({ method: 'POST', path: `${projectPath(values)}/suspend` }),
  },
  {
    words: ['project', 'reactivate'],
    summary: 'take a suspension back',
    options: [projectOption],
    request: (values) => ({ method: 'POST', path: `${projectPath(values)}/reactivate` }),
  },
];
