import { shareOf } from './promql.ts';
import { alertRule, type RuleGroup } from './rule-plan.ts';

const answers = 'inventory_platform_request_duration_count';
const livePages = 'inventory_live_pages_duration_count';

export const platformAlerts: RuleGroup = {
  name: 'platform',
  rules: [
    alertRule({
      name: 'ApplicationBreakerOpen',
      severity: 'ticket',
      expr: 'max(inventory_app_breaker_open) > 0',
      for: '10m',
      summary: 'Inventories of an application cannot be read.',
      description:
        '{{ $value }} applications admit no refreshes until the platform serves them again.',
    }),
    alertRule({
      name: 'IdentitiesSilent',
      severity: 'page',
      expr: 'sum(max by (state) (inventory_identity_states{state=~"silent|unreachable"})) / sum(max by (state) (inventory_identity_states)) > 0.5',
      for: '5m',
      summary: 'Most egress identities are refused by the platform or make no connection.',
      description: '{{ $value | humanizePercentage }} of them rest; refreshes slow down or stop.',
    }),
    alertRule({
      name: 'PlatformAnswersOdd',
      severity: 'ticket',
      expr: `${shareOf({ of: `${answers}{answer=~"fault|bad_request|too_large|unreachable|refused"}`, among: answers, window: '15m', leastEvents: 50 })} > 0.2`,
      for: '10m',
      summary: 'The platform answers wrongly, or not at all.',
      description:
        '{{ $value | humanizePercentage }} of its answers within a quarter of an hour were of no use.',
    }),
    alertRule({
      name: 'LivePagesFailing',
      severity: 'ticket',
      expr: `${shareOf({ of: `${livePages}{result!~"page|private|not_found"}`, among: livePages, window: '15m', leastEvents: 50 })} > 0.2`,
      for: '10m',
      summary: 'Clients who ask for live pages do not get them.',
      description:
        '{{ $value | humanizePercentage }} of the live pages within a quarter of an hour failed; nothing was charged.',
    }),
  ],
};
