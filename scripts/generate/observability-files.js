'use strict';

/**
 * What Grafana and the Prometheus operator are given: the plans of `deploy/observability/dashboards`,
 * whose queries are plain PromQL, as Grafana's JSON, and the rules of Prometheus as a PrometheusRule.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const common = require('@grafana/grafana-foundation-sdk/common');
const dashboard = require('@grafana/grafana-foundation-sdk/dashboard');
const { DataqueryBuilder } = require('@grafana/grafana-foundation-sdk/prometheus');
const stat = require('@grafana/grafana-foundation-sdk/stat');
const timeseries = require('@grafana/grafana-foundation-sdk/timeseries');
const { parse, stringify } = require('yaml');

const plansFolder = 'deploy/observability/dashboards';
const dashboardsFolder = 'deploy/compose/grafana/dashboards';
const rulesFile = 'deploy/compose/rules/game-item-inventory.yaml';

function observabilityFiles(root) {
  const readYaml = (path) => parse(readFileSync(join(root, path), 'utf8'));
  const plans = readdirSync(join(root, plansFolder)).map((file) =>
    readYaml(join(plansFolder, file)),
  );
  return [
    ...plans.map((plan) => ({
      path: `${dashboardsFolder}/${plan.uid}.json`,
      content: `${JSON.stringify(renderDashboard(plan), null, 2)}\n`,
    })),
    prometheusRule(readYaml(rulesFile)),
  ];
}

function prometheusRule({ groups }) {
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

/** All of ours have it: each links to the others by it. */
const tag = 'game-item-inventory';
/** Whichever Prometheus the reader's Grafana has: chosen above the dashboard. */
const datasource = { type: 'prometheus', uid: '$datasource' };
const gridWidth = 24;

/** A dashboard as Grafana's JSON. */
function renderDashboard(plan) {
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
function numbered(built) {
  const panels = (built.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 }));
  return { ...built, panels };
}

function panelOf(plan, row) {
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

function figure({ warnAt, failAt }) {
  const isJudged = warnAt !== undefined || failAt !== undefined;
  return new stat.PanelBuilder()
    .graphMode(common.BigValueGraphMode.None)
    .colorMode(isJudged ? common.BigValueColorMode.Background : common.BigValueColorMode.Value)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']));
}

function lines({ shows, warnAt, failAt }) {
  const isJudged = warnAt !== undefined || failAt !== undefined;
  const style = isJudged
    ? common.GraphThresholdsStyleMode.Dashed
    : common.GraphThresholdsStyleMode.Off;
  const stacking = shows === 'areas' ? common.StackingMode.Normal : common.StackingMode.None;
  return new timeseries.PanelBuilder()
    .lineWidth(1)
    .fillOpacity(shows === 'areas' ? 40 : 0)
    .showPoints(common.VisibilityMode.Never)
    .stacking(new common.StackingConfigBuilder().mode(stacking))
    .thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(style))
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending),
    )
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.List)
        .placement(common.LegendPlacement.Bottom)
        .showLegend(true),
    );
}

function thresholdsOf({ warnAt, failAt }) {
  const steps = [{ value: null, color: 'green' }];
  if (warnAt !== undefined) steps.push({ value: warnAt, color: 'yellow' });
  if (failAt !== undefined) steps.push({ value: failAt, color: 'red' });
  return new dashboard.ThresholdsConfigBuilder()
    .mode(dashboard.ThresholdsMode.Absolute)
    .steps(steps);
}

function serviceVariable() {
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

function firingAlerts() {
  return new dashboard.AnnotationQueryBuilder()
    .name('Alerts')
    .datasource(datasource)
    .enable(true)
    .iconColor('red')
    .expr('ALERTS{alertstate="firing"}')
    .titleFormat('{{alertname}}')
    .tagKeys('severity,service');
}

function otherDashboards() {
  return new dashboard.DashboardLinkBuilder('Game Item Inventory')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([tag])
    .asDropdown(true)
    .keepTime(true)
    .includeVars(false);
}

module.exports = { dashboardsFolder, observabilityFiles };
