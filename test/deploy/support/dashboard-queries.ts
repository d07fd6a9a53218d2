import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tidy/tracked-files.ts';

export interface DashboardQuery {
  /** Dashboard, panel and query, as a person would look for it. */
  readonly source: string;
  readonly expr: string;
}

interface Dashboard {
  readonly title: string;
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly refId: string; readonly expr: string }[];
  }[];
}

const folder = join(root, 'deploy/compose/grafana/dashboards');

/** Names of dashboards, in small letters as they are spoken of, and of their panels. */
export function dashboardTitles(): string[] {
  return readDashboards().flatMap(({ title, panels }) => [
    title.replace('Inventory: ', ''),
    ...panels.map((panel) => panel.title),
  ]);
}

/** Every query of the dashboards as Grafana would send it: all services, rates over so long. */
export function dashboardQueries(rateWindow: string): DashboardQuery[] {
  return readDashboards().flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      (panel.targets ?? []).map(({ refId, expr }) => ({
        source: `${title} / ${panel.title} / ${refId}`,
        expr: expr.replaceAll('$__rate_interval', rateWindow).replaceAll('$service', '.+'),
      })),
    ),
  );
}

function readDashboards(): Dashboard[] {
  return readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard,
  );
}
