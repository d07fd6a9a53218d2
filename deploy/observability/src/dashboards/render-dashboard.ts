import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import * as common from '@grafana/grafana-foundation-sdk/common';
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
} from '@grafana/grafana-foundation-sdk/common';
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import type { DashboardPlan, PanelPlan } from './dashboard-plan.ts';

/** All of ours have it: each links to the others by it. */
const tag = 'game-item-inventory';
/** Whichever Prometheus the reader's Grafana has: chosen above the dashboard. */
const datasource = { type: 'prometheus', uid: '$datasource' };
const gridWidth = 24;

/** A dashboard as Grafana's JSON. */
export function renderDashboard(plan: DashboardPlan): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(plan.title)
    .uid(plan.uid)
    .description(plan.description)
    .tags([tag])
    .readonly()
    .time({ from: 'now-1h', to: 'now' })
    .refresh('10s')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .annotation(firingAlerts())
    .link(otherDashboards())
    .withVariable(new dashboard.DatasourceVariableBuilder('datasource').type('prometheus'));
  if (plan.byService) builder.withVariable(serviceVariable());
  for (const { title, panels } of plan.rows) {
    builder.withRow(new dashboard.RowBuilder(title));
    for (const panel of panels) builder.withPanel(panelOf(panel, panels));
  }
  return numbered(builder.build());
}

/** Provisioned dashboards need ids of their own, which the library leaves out. */
function numbered(built: dashboard.Dashboard): dashboard.Dashboard {
  const panels = (built.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 }));
  return { ...built, panels };
}

function panelOf(plan: PanelPlan, row: readonly PanelPlan[]): Builder<dashboard.Panel> {
  const built = plan.shows === 'figure' ? figure(plan) : lines(plan);
  const alike = row.filter(({ shows }) => (shows === 'figure') === (plan.shows === 'figure'));
  const perLine = plan.shows === 'figure' ? 6 : alike.length % 3 === 1 ? 2 : 3;
  built
    .title(plan.title)
    .description(plan.description)
    .datasource(datasource)
    .unit(plan.unit)
    .min(0)
    .span(gridWidth / perLine)
    .height(plan.shows === 'figure' ? 4 : 8)
    .thresholds(thresholdsOf(plan));
  for (const [index, [legend, expr]] of Object.entries(plan.queries).entries()) {
    const query = new DataqueryBuilder()
      .datasource(datasource)
      .refId(String.fromCharCode('A'.charCodeAt(0) + index))
      .expr(expr)
      .legendFormat(legend);
    if (plan.leadsToTraces) query.exemplar(true);
    built.withTarget(plan.shows === 'figure' ? query.instant() : query.range());
  }
  return built;
}

function figure({ warnAt, failAt }: PanelPlan): stat.PanelBuilder {
  const isJudged = warnAt !== undefined || failAt !== undefined;
  return new stat.PanelBuilder()
    .graphMode(BigValueGraphMode.None)
    .colorMode(isJudged ? BigValueColorMode.Background : BigValueColorMode.Value)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

function lines({ shows, warnAt, failAt }: PanelPlan): timeseries.PanelBuilder {
  const isJudged = warnAt !== undefined || failAt !== undefined;
  const style = isJudged ? GraphThresholdsStyleMode.Dashed : GraphThresholdsStyleMode.Off;
  const stacking = shows === 'areas' ? StackingMode.Normal : StackingMode.None;
  return new timeseries.PanelBuilder()
    .lineWidth(1)
    .fillOpacity(shows === 'areas' ? 40 : 0)
    .showPoints(VisibilityMode.Never)
    .stacking(new common.StackingConfigBuilder().mode(stacking))
    .thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(style))
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(TooltipDisplayMode.Multi)
        .sort(SortOrder.Descending),
    )
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    );
}

function thresholdsOf({ warnAt, failAt }: PanelPlan): dashboard.ThresholdsConfigBuilder {
  const steps: dashboard.Threshold[] = [{ value: null, color: 'green' }];
  if (warnAt !== undefined) steps.push({ value: warnAt, color: 'yellow' });
  if (failAt !== undefined) steps.push({ value: failAt, color: 'red' });
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps);
}

function serviceVariable(): dashboard.QueryVariableBuilder {
  return new dashboard.QueryVariableBuilder('service')
    .label('Service')
    .datasource(datasource)
    .query({ qryType: 1, query: 'label_values(target_info, service)', refId: 'service' })
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.+')
    .current({ text: ['All'], value: ['$__all'] });
}

function firingAlerts(): dashboard.AnnotationQueryBuilder {
  return new dashboard.AnnotationQueryBuilder()
    .name('Alerts')
    .datasource(datasource)
    .enable(true)
    .iconColor('red')
    .expr('ALERTS{alertstate="firing"}')
    .titleFormat('{{alertname}}')
    .tagKeys('severity,service');
}

function otherDashboards(): dashboard.DashboardLinkBuilder {
  return new dashboard.DashboardLinkBuilder('Game Item Inventory')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([tag])
    .asDropdown(true)
    .keepTime(true)
    .includeVars(false);
}
