import {
  account,
  flag,
  key,
  part,
  project,
  required,
  text,
  type Verb,
  verb,
  whole,
} from './verb.ts';

const endpoint = required(text('--endpoint <whe_…>', 'the webhook endpoint', 'endpoint_id'));
const one = [project, endpoint] as const;
const verifyTimeoutMs = 290_000;

/** Where Projects are sent their events. */
export const webhookVerbs: readonly Verb[] = [
  verb(
    'webhook list',
    'list the webhook endpoints of a Project',
    'listWebhookEndpoints',
    [project],
    { columns: ['endpoint_id', 'state', 'disabled_reason', 'failing_since', 'types', 'url'] },
  ),
  verb('webhook show', 'show one endpoint, without its secrets', 'readWebhookEndpoint', one),
  verb(
    'webhook enable',
    'send to an endpoint again, from what comes next; see redeliver for what it missed',
    'changeWebhookEndpoint',
    one,
    { fixed: { state: 'enabled' } },
  ),
  verb('webhook disable', 'send nothing more to an endpoint', 'changeWebhookEndpoint', one, {
    fixed: { state: 'disabled' },
  }),
  verb('webhook delete', 'delete an endpoint with its deliveries', 'deleteWebhookEndpoint', one),
  verb(
    'webhook rotate-secret',
    'make a new signing secret; both sign until the overlap is over',
    'rotateWebhookSecret',
    [
      ...one,
      whole(
        '--overlap-seconds <seconds>',
        'how long the present secret also signs; a day when absent',
        'overlap_seconds',
      ),
      flag('--force', 'also while two secrets sign: the older one ends at once', { force: true }),
      key,
    ],
    { note: 'The secret is shown this once. Hand it over and keep no copy.' },
  ),
  verb(
    'webhook test',
    'send a webhook.ping to an endpoint; its deliveries show how it ended',
    'testWebhookEndpoint',
    one,
  ),
  verb(
    'webhook deliveries',
    'list what was sent to an endpoint and how it ended, newest first',
    'listWebhookDeliveries',
    [
      ...one,
      text('--state <pending|delivered|failed>', 'only those in this state', 'state'),
      text('--from <time>', 'only those created at this time or later', 'from'),
      text('--to <time>', 'only those created before this time', 'to'),
      ...part,
    ],
    {
      columns: ['event_id', 'type', 'state', 'failure', 'attempts_total', 'next_attempt_at'],
    },
  ),
  verb(
    'webhook redeliver',
    'send one event again, or all of a time range, also what the endpoint missed',
    'redeliverWebhookEvents',
    [
      ...one,
      text('--event <evt_…>', 'one event, or', 'event_id'),
      text('--since <time>', 'what was appended from this time', 'since'),
      text('--until <time>', 'until this one; now when absent', 'until'),
    ],
    { exactlyOne: [['event', 'since']] },
  ),
];

/** The running services. */
export const serviceVerbs: readonly Verb[] = [
  verb(
    'admission show',
    'show whether new refreshes are admitted, and how many are outstanding',
    'readAdmission',
    [],
  ),
  verb('admission close', 'admit no new refresh; accepted ones continue', 'switchAdmission', [], {
    fixed: { operator_closed: true },
  }),
  verb(
    'admission open',
    'take the closing back; the limit of outstanding refreshes stays in force',
    'switchAdmission',
    [],
    { fixed: { operator_closed: false } },
  ),
  verb(
    'erase',
    'erase everything that is saved of one inventory',
    'eraseInventory',
    [
      required(text('--platform-id <17 digits>', "the inventory's platform_id", 'platform_id')),
      required(text('--app-id <n>', "the inventory's app_id", 'app_id')),
      required(text('--context-id <n>', "the inventory's context_id", 'context_id')),
    ],
    { irreversible: 'All revisions of this inventory are deleted, for every customer:' },
  ),
  verb(
    'verify',
    'refold every account of the ledger; exit code 1 when a problem is found',
    'verifyLedger',
    [],
    { mustHold: 'ok', timeoutMs: verifyTimeoutMs },
  ),
  verb(
    'quarantine list',
    'accounts whose commands are not evaluated',
    'listQuarantinedAccounts',
    [],
  ),
  verb(
    'quarantine lift',
    'evaluate the commands of an account again, after its journal was restored',
    'liftQuarantine',
    [account],
  ),
  verb(
    'audit',
    'list what operators did and attempted, oldest first',
    'listAudit',
    [
      text('--from <time>', 'from this time on, ISO 8601', 'from'),
      text('--to <time>', 'until before this time', 'to'),
      text('--operator <name>', 'only of this operator', 'operator'),
      ...part,
    ],
    { columns: ['at', 'operator', 'kind', 'action', 'path', 'outcome', 'request_id'] },
  ),
];
