import { grantedScope } from '@inventory/contracts/vocabulary';
import {
  type Command,
  credentialOption,
  listOptions,
  listQuery,
  type Option,
  type OptionValues,
  projectOption,
} from './command.ts';

const scopeOption: Option = {
  name: 'scope',
  kind: 'list',
  value: 'scope',
  required: true,
  help: `may be repeated; one of ${grantedScope.options.join(', ')}`,
};
const shownOnce = 'The secret is shown this once and kept nowhere: store it now.';
const columns = ['credential_id', 'name', 'state', 'public_id', 'scopes', 'expires_at'];

const projectPath = (values: OptionValues) => `/projects/${values.segment('project')}`;
const credentialPath = (values: OptionValues) => `/credentials/${values.segment('credential')}`;

/** API keys. */
export const credentialCommands: readonly Command[] = [
  {
    words: ['credential', 'issue'],
    summary: 'issue a Credential of a Project and show its secret, once',
    options: [
      projectOption,
      scopeOption,
      { name: 'name', kind: 'text', value: 'text', help: 'what the Credential is called' },
      { name: 'expires-at', kind: 'text', value: 'time', help: 'ISO 8601; never when not given' },
      { name: 'allow', kind: 'list', value: 'CIDR', help: 'network it works from; repeatable' },
    ],
    note: shownOnce,
    request: (values) => ({
      method: 'POST',
      path: `${projectPath(values)}/credentials`,
      body: {
        name: values.text('name'),
        scopes: values.list('scope'),
        expires_at: values.text('expires-at'),
        network_policy: values.list('allow'),
      },
    }),
  },
  {
    words: ['credential', 'list'],
    summary: 'list the Credentials of a Project, oldest first',
    options: [projectOption, ...listOptions],
    columns,
    request: (values) => ({
      method: 'GET',
      path: `${projectPath(values)}/credentials`,
      query: listQuery(values),
    }),
  },
  {
    words: ['credential', 'show'],
    summary: 'show one Credential, without its secret',
    options: [credentialOption],
    request: (values) => ({ method: 'GET', path: credentialPath(values) }),
  },
  {
    words: ['credential', 'rotate'],
    summary: 'replace the secret of a Credential and show the new one, once',
    options: [
      credentialOption,
      {
        name: 'overlap-seconds',
        kind: 'number',
        value: 'seconds',
        help: 'how long the old secret still works; it stops at once when not given',
      },
    ],
    note: shownOnce,
    request: (values) => ({
      method: 'POST',
      path: `${credentialPath(values)}/rotate`,
      body: { overlap_seconds: values.number('overlap-seconds') },
    }),
  },
  {
    words: ['credential', 'revoke'],
    summary: 'end a Credential, at once and for good',
    options: [credentialOption],
    request: (values) => ({ method: 'POST', path: `${credentialPath(values)}/revoke` }),
  },
  {
    words: ['scopes', 'set'],
    summary: 'replace what a Credential may do',
    options: [credentialOption, scopeOption],
    request: (values) => ({
      method: 'PUT',
      path: `${credentialPath(values)}/scopes`,
      body: { scopes: values.list('scope') },
    }),
  },
  {
    words: ['expiry', 'set'],
    summary: 'set when a Credential expires',
    options: [
      credentialOption,
      { name: 'at', kind: 'text', value: 'time', help: 'ISO 8601, in the future' },
      { name: 'never', kind: 'flag', help: 'it does not expire' },
    ],
    exactlyOne: [['at', 'never']],
    request: (values) => ({
      method: 'PUT',
      path: `${credentialPath(values)}/expiry`,
      body: { expires_at: values.text('at') ?? null },
    }),
  },
];
