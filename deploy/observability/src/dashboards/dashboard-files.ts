import type { GeneratedFile } from '../generated-file.ts';
import type { DashboardPlan } from './dashboard-plan.ts';
import { money } from './money.ts';
import { overview } from './overview.ts';
import { platform } from './platform.ts';
import { refreshSaga } from './refresh-saga.ts';
import { renderDashboard } from './render-dashboard.ts';
import { runtime } from './runtime.ts';
import { streams } from './streams.ts';
import { traces } from './traces.ts';

const dashboards: readonly DashboardPlan[] = [
  overview,
  refreshSaga,
  money,
  platform,
  streams,
  runtime,
  traces,
];

/** The dashboards as Grafana is given them. */
export function dashboardFiles(): GeneratedFile[] {
  return dashboards.map((plan) => ({
    path: `deploy/compose/grafana/dashboards/${plan.uid}.json`,
    content: `${JSON.stringify(renderDashboard(plan), null, 2)}\n`,
  }));
}
