import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { money } from './dashboards/money.ts';
import { overview } from './dashboards/overview.ts';
import { platform } from './dashboards/platform.ts';
import { refreshSaga } from './dashboards/refresh-saga.ts';
import { renderDashboard } from './dashboards/render-dashboard.ts';
import { runtime } from './dashboards/runtime.ts';
import { streams } from './dashboards/streams.ts';
import { traces } from './dashboards/traces.ts';

/** A file that is written from this package and committed: path below the repository, and content. */
interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}

const root = resolve(__dirname, '../../..');
const rulesFile = 'deploy/compose/rules/game-item-inventory.yaml';
const dashboards = [overview, refreshSaga, money, platform, streams, runtime, traces];

/** The dashboards as Grafana is given them, and the rules as the Prometheus operator is. */
export function observabilityFiles(): GeneratedFile[] {
  return [
    ...dashboards.map((plan) => ({
      path: `deploy/compose/grafana/dashboards/${plan.uid}.json`,
      content: `${JSON.stringify(renderDashboard(plan), null, 2)}\n`,
    })),
    prometheusRule(),
  ];
}

function prometheusRule(): GeneratedFile {
  const { groups } = parse(readFileSync(join(root, rulesFile), 'utf8'));
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'game-item-inventory' },
    spec: { groups },
  };
  return {
    path: 'deploy/kubernetes/components/prometheus-operator/rules.yaml',
    content: `# Written by \`npm run generate\` from ${rulesFile}: edit that.\n${stringify(rule, { lineWidth: 0 })}`,
  };
}
