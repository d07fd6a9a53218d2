import { alertRule, type RuleGroup } from './rule-plan.ts';

/** Streams and status requests that wait last as long as they are meant to. */
const answeredAtOnce =
  'inventory_api="public", http_route!~".*/stream|/v2/platform/inventory-refreshes/[{]refresh_id[}]"';

const publicRequests = 'http_server_request_duration_count{inventory_api="public"}';

export const apiAlerts: RuleGroup = {
  name: 'api',
  rules: [
    alertRule({
      name: 'PublicApiSlow',
      severity: 'ticket',
      expr: `histogram_quantile(0.99, sum by (le, http_route) (rate(http_server_request_duration_bucket{${answeredAtOnce}}[10m]))) > 10 and on (http_route) sum by (http_route) (increase(http_server_request_duration_count{${answeredAtOnce}}[10m])) > 100`,
      for: '10m',
      summary: 'Requests take longer than clients wait.',
      description:
        '1 % of the requests to {{ $labels.http_route }} take {{ $value | humanizeDuration }} or more.',
    }),
    alertRule({
      name: 'PublicApiUnreachable',
      severity: 'page',
      expr: 'max(probe_success{job="public-api"}) == 0',
      for: '1m',
      summary: 'The public API does not answer a request from outside.',
      description: 'The probe of its document has failed for a minute.',
    }),
    alertRule({
      name: 'TrafficStopped',
      severity: 'page',
      // Where ten requests a minute are usual, five minutes without any are no chance.
      expr: `sum(increase(${publicRequests}[1h] offset 10m)) > 600 unless sum(increase(${publicRequests}[5m])) > 0`,
      for: '2m',
      summary: 'Requests to the public API have stopped.',
      description: 'There were {{ $value | humanize }} in an hour, and now there are none.',
    }),
    alertRule({
      name: 'AdmissionClosed',
      severity: 'page',
      expr: 'max(inventory_admission_closed{reason="global_outstanding_closed"}) > 0',
      for: '5m',
      summary: 'No refresh is admitted, because too many are outstanding.',
      description:
        'Every POST of a refresh has been answered 503 product_unavailable for 5 minutes.',
    }),
    alertRule({
      name: 'AdmissionLeftClosed',
      severity: 'ticket',
      expr: 'max(inventory_admission_closed{reason="operator_closed"}) > 0',
      for: '1h',
      summary: 'An operator closed admission an hour ago.',
      description: 'Every POST of a refresh is answered 503 product_unavailable.',
    }),
  ],
};
