import {
  type ApiRequest,
  type Command,
  listOptions,
  listQuery,
  type Option,
  type OptionValues,
  projectOption,
} from './command.ts';

const endpointOption: Option = {
  name: 'endpoint',
  kind: 'text',
  value: 'whe_…',
  required: true,
  help: 'the webhook endpoint',
};
const named = [projectOption, endpointOption];

const pathOf = (values: OptionValues) => `/projects/${values.segment('project')}/webhook-endpoints`;

function call(
  method: ApiRequest['method'],
  rest: string,
  body: (values: OptionValues) => object | undefined = () => undefined,
) {
  return (values: OptionValues): ApiRequest => {
    const given = body(values);
    const path = `${pathOf(values)}/${values.segment('endpoint')}${rest}`;
    return { method, path, ...(given ? { body: given } : {}) };
  };
}

/** Where Projects are sent their events. */
export const webhookCommands: readonly Command[] = [
  {
    words: ['webhook', 'list'],
    summary: 'list the webhook endpoints of a Project',
    options: [projectOption],
    columns: ['endpoint_id', 'state', 'disabled_reason', 'failing_since', 'types', 'url'],
    request: (values) => ({ method: 'GET', path: pathOf(values) }),
  },
  {
    words: ['webhook', 'show'],
    summary: 'show one webhook endpoint, without its secrets',
    options: named,
    request: call('GET', ''),
  },
  {
    words: ['webhook', 'enable'],
    summary: 'send to an endpoint again, from what comes next; see redeliver for what it missed',
    options: named,
    request: call('POST', '/enable'),
  },
  {
    words: ['webhook', 'disable'],
    summary: 'send nothing more to an endpoint',
    options: named,
    request: call('POST', '/disable'),
  },
  {
    words: ['webhook', 'delete'],
    summary: 'delete an endpoint with its deliveries',
    options: named,
    request: call('DELETE', ''),
  },
  {
    words: ['webhook', 'rotate-secret'],
    summary: 'make a new signing secret; both sign until the overlap is over',
    options: [
      ...named,
      {
        name: 'overlap-seconds',
        kind: 'number',
        value: 'seconds',
        help: 'how long the present secret goes on signing; a day when not given',
      },
    ],
    note: 'The secret is shown this once. Hand it over and keep no copy.',
    request: call('POST', '/rotate-secret', (values) => {
      const overlap = values.number('overlap-seconds');
      return overlap === undefined ? {} : { overlap_seconds: overlap };
    }),
  },
  {
    words: ['webhook', 'test'],
    summary: 'send a webhook.ping to an endpoint; its deliveries tell how it went',
    options: named,
    request: call('POST', '/test'),
  },
  {
    words: ['webhook', 'deliveries'],
    summary: 'list what was sent to an endpoint and how it went, newest first',
    options: [
      ...named,
      {
        name: 'state',
        kind: 'text',
        value: 'pending|delivered|failed',
        help: 'only those in this state',
      },
      ...listOptions,
    ],
    columns: ['event_id', 'type', 'state', 'failure', 'attempts_total', 'next_attempt_at'],
    request: (values) => ({
      ...call('GET', '/deliveries')(values),
      query: { ...listQuery(values), state: values.text('state') },
    }),
  },
  {
    words: ['webhook', 'redeliver'],
    summary: 'send one event again, or all of a time range, also what the endpoint missed',
    options: [
      ...named,
      { name: 'event', kind: 'text', value: 'evt_…', help: 'one event, or' },
      { name: 'since', kind: 'text', value: 'time', help: 'what was appended from this time' },
      { name: 'until', kind: 'text', value: 'time', help: 'until this one; now when not given' },
    ],
    exactlyOne: [['event', 'since']],
    request: call('POST', '/redeliver', (values) => {
      const event = values.text('event');
      if (event !== undefined) return { event_id: event };
      const until = values.text('until');
      return { since: values.text('since'), ...(until === undefined ? {} : { until }) };
    }),
  },
];
