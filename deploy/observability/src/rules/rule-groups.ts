import { apiAlerts } from './api-alerts.ts';
import { eventAlerts } from './event-alerts.ts';
import { messageAlerts } from './message-alerts.ts';
import { moneyAlerts } from './money-alerts.ts';
import { objectives } from './objectives.ts';
import { platformAlerts } from './platform-alerts.ts';
import { refreshAlerts } from './refresh-alerts.ts';
import type { AlertRule, RuleGroup } from './rule-plan.ts';
import { runtimeAlerts } from './runtime-alerts.ts';

export const ruleGroups: readonly RuleGroup[] = [
  ...objectives,
  apiAlerts,
  refreshAlerts,
  moneyAlerts,
  messageAlerts,
  platformAlerts,
  eventAlerts,
  runtimeAlerts,
];

export const alertRules: readonly AlertRule[] = ruleGroups.flatMap(({ rules }) =>
  rules.filter((rule) => 'alert' in rule),
);
