import { createHash } from 'node:crypto';
import { secretPattern } from '@inventory/contracts/credential-secret';
import { grantedPermission } from '@inventory/contracts/vocabulary';
import {
  account,
  credential,
  flag,
  list,
  part,
  project,
  required,
  serviceAccount,
  text,
  type Verb,
  verb,
  whole,
} from './verb.ts';

const scope = required(
  list('--scope <scope>', `repeatable; one of ${grantedPermission.options.join(', ')}`, 'scopes'),
);
const perMinute = <Field extends string>(field: Field) =>
  whole('--per-minute <n>', '1 to 1000000', field);
const note = 'The secret is shown this once and kept nowhere: store it now.';
const columns = {
  accounts: ['account_id', 'name', 'state', 'rate_limit_per_minute', 'events_enabled'],
  serviceAccounts: ['service_account_id', 'name', 'is_default', 'rate_limit_per_minute'],
  projects: ['project_id', 'name', 'state', 'network_policy', 'created_at'],
  credentials: ['credential_id', 'name', 'state', 'public_id', 'scopes', 'expires_at'],
};

/** Customer accounts, their Projects and Credentials. */
export const customerVerbs: readonly Verb[] = [
  verb('account create', 'create a customer account', 'createAccount', [
    required(text('--name <text>', 'what the account is called', 'name')),
  ]),
  verb('account list', 'list accounts, oldest first', 'listAccounts', part, {
    columns: columns.accounts,
  }),
  verb('account show', 'show one account', 'readAccount', [account]),
  verb(
    'account suspend',
    'stop every Credential of an account, at once',
    'changeAccount',
    [account],
    { fixed: { state: 'suspended' } },
  ),
  verb('account reactivate', 'take a suspension back', 'changeAccount', [account], {
    fixed: { state: 'active' },
  }),
  verb('project create', 'create a Project of an account', 'createProject', [
    account,
    text('--name <text>', 'what the Project is called', 'name'),
  ]),
  verb(
    'project list',
    'list the Projects of an account, oldest first',
    'listProjects',
    [account, ...part],
    { columns: columns.projects },
  ),
  verb('project show', 'show one Project', 'readProject', [project]),
  verb(
    'project suspend',
    'stop every Credential of a Project, at once',
    'changeProject',
    [project],
    { fixed: { state: 'suspended' } },
  ),
  verb('project reactivate', 'take a suspension back', 'changeProject', [project], {
    fixed: { state: 'active' },
  }),
  verb('service-account create', 'create a Service account of an account', 'createServiceAccount', [
    account,
    required(text('--name <text>', 'what the Service account is called', 'name')),
  ]),
  verb(
    'service-account list',
    'list the Service accounts of an account, the default one first',
    'listServiceAccounts',
    [account, ...part],
    { columns: columns.serviceAccounts },
  ),
  verb('service-account show', 'show one Service account', 'readServiceAccount', [serviceAccount]),
  verb(
    'credential issue',
    'issue a Credential of a Project and show its secret, once',
    'issueCredential',
    [
      project,
      scope,
      text('--name <text>', 'what the Credential is called', 'name'),
      text(
        '--service-account <sa_…>',
        'whose limits it shares; the default one of the account when absent',
        'service_account_id',
      ),
      text('--expires-at <time>', 'ISO 8601; never when absent', 'expires_at'),
      list('--allow <CIDR>', 'network it works from; repeatable', 'network_policy'),
    ],
    { note },
  ),
  verb(
    'credential list',
    'list the Credentials of a Project, oldest first',
    'listCredentials',
    [project, ...part],
    { columns: columns.credentials },
  ),
  verb('credential show', 'show one Credential, without its secret', 'readCredential', [
    credential,
  ]),
  verb(
    'credential rotate',
    'replace the secret of a Credential and show the new one, once',
    'rotateCredential',
    [
      credential,
      whole(
        '--overlap-seconds <seconds>',
        'how long the replaced secret still works; it stops at once when absent',
        'overlap_seconds',
      ),
    ],
    { note },
  ),
  verb('credential revoke', 'end a Credential, at once and for good', 'revokeCredential', [
    credential,
  ]),
  verb(
    'credential find',
    'find the Credential of a leaked secret, which is read from standard input and not sent',
    'findCredential',
    [
      required(
        flag('--secret-stdin', 'read the secret, or a text with it, from standard input', {}),
      ),
      flag('--revoke', 'revoke the Credential where the secret is valid', {}),
    ],
    {
      fromInput: secretIn,
      followedBy: {
        option: 'revoke',
        when: 'secret_valid',
        operation: 'revokeCredential',
        fields: ['credential_id'],
        otherwise: 'Nothing is revoked: the secret is not valid.',
      },
    },
  ),
  verb('scopes set', 'replace what a Credential may do', 'changeCredential', [credential, scope]),
  verb(
    'expiry set',
    'set when a Credential expires',
    'changeCredential',
    [
      credential,
      text('--at <time>', 'ISO 8601, in the future', 'expires_at'),
      flag('--never', 'it does not expire', { expires_at: null }),
    ],
    { exactlyOne: [['at', 'never']] },
  ),
];

/** What an account, a Project or a Credential is limited to. */
export const limitVerbs: readonly Verb[] = [
  verb(
    'network-policy set',
    'replace the networks that clients must come from; every level must allow a client',
    (input) => {
      if ('account_id' in input) return 'changeAccount';
      if ('project_id' in input) return 'changeProject';
      if ('service_account_id' in input) return 'changeServiceAccount';
      return 'changeCredential';
    },
    [
      text('--account <acc_…>', 'limit all of an account, or', 'account_id'),
      text('--project <prj_…>', 'all of a Project, or', 'project_id'),
      text('--service-account <sa_…>', 'all of a Service account, or', 'service_account_id'),
      text('--credential <cred_…>', 'one Credential', 'credential_id'),
      list('--allow <CIDR>', 'IPv4 or IPv6 network; repeatable', 'network_policy'),
      flag('--none', 'no policy at this level', { network_policy: null }),
    ],
    {
      exactlyOne: [
        ['account', 'project', 'service-account', 'credential'],
        ['allow', 'none'],
      ],
    },
  ),
  verb(
    'rate-limit set',
    'set how many requests a minute the Credentials of a Service account share',
    (input) => ('account_id' in input ? 'changeAccount' : 'changeServiceAccount'),
    [
      text('--account <acc_…>', 'of the default Service account of an account, or', 'account_id'),
      text('--service-account <sa_…>', 'of one Service account', 'service_account_id'),
      required(perMinute('rate_limit_per_minute')),
    ],
    { exactlyOne: [['account', 'service-account']] },
  ),
  verb(
    'traffic-limit set',
    'set how many requests a minute all Service accounts of an account share',
    'changeAccount',
    [
      account,
      perMinute('traffic_limit_per_minute'),
      flag('--default', 'the configured limit', { traffic_limit_per_minute: null }),
    ],
    { exactlyOne: [['per-minute', 'default']] },
  ),
  verb('events on', 'let an account read its event streams', 'changeAccount', [account], {
    fixed: { events_enabled: true },
  }),
  verb(
    'events off',
    'close the event streams of an account; events are logged all the same',
    'changeAccount',
    [account],
    { fixed: { events_enabled: false } },
  ),
  verb(
    'capture on',
    'save complete chains of Live Pages of an account as revisions',
    'changeAccount',
    [account],
    { fixed: { capture_enabled: true } },
  ),
  verb('capture off', 'save none of them', 'changeAccount', [account], {
    fixed: { capture_enabled: false },
  }),
];

/** The first secret in a text, as what the API is sent of it. */
function secretIn(text: string) {
  const [secret] = new RegExp(secretPattern).exec(text) ?? [];
  if (secret === undefined) return null;
  const secret_sha256 = createHash('sha256').update(secret).digest('hex');
  return { public_id: secret.split('_')[1], secret_sha256 };
}
