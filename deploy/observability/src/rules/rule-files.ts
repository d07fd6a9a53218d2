import { stringify } from 'yaml';
import type { GeneratedFile } from '../generated-file.ts';
import { ruleGroups } from './rule-groups.ts';
import type { RuleGroup } from './rule-plan.ts';

const notice = '# Written by `npm run generate` from deploy/observability: edit that.\n';
const format = { lineWidth: 0 };

/** The rules as Prometheus reads them, and as the Prometheus operator of a cluster does. */
export function ruleFiles(): GeneratedFile[] {
  return [
    {
      path: 'deploy/compose/rules/game-item-inventory.yaml',
      content: notice + stringify({ groups: ruleGroups }, format),
    },
    {
      path: 'deploy/kubernetes/components/prometheus-operator/rules.yaml',
      content: notice + stringify(prometheusRule(ruleGroups), format),
    },
  ];
}

function prometheusRule(groups: readonly RuleGroup[]) {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'game-item-inventory' },
    spec: { groups },
  };
}
