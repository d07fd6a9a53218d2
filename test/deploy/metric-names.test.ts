import { dashboardQueries } from './support/dashboard-queries.ts';
import { groupingsOf, metricCatalogue, selectionsOf } from './support/metric-catalogue.ts';
import { plantedFaults } from './support/planted-faults.ts';
import { healthy } from './support/planted-series.ts';
import { rareSeries } from './support/rare-series.ts';
import { readRules } from './support/rules.ts';

const catalogue = metricCatalogue();
/** Set by the scrape configuration, or by Prometheus itself. */
const ofTheScrape = ['service', 'instance', 'le', 'alertname'];

const rules = readRules().map((rule) => ({
  source: 'alert' in rule ? rule.alert : rule.record,
  expr: rule.expr,
}));
const planted = [healthy, ...plantedFaults.map(({ instead }) => instead)]
  .flatMap(Object.keys)
  .concat(rareSeries)
  .map((expr) => ({ source: 'planted', expr }));

/** Series of a query that no service exports. */
function unknownIn({ source, expr }: { source: string; expr: string }): string[] {
  const selections = selectionsOf(expr);
  const wrong = selections.flatMap(({ metric, matchers }) => {
    const labels = catalogue.get(metric);
    if (!labels) return [metric];
    return matchers
      .filter(({ label }) => !ofTheScrape.includes(label))
      .flatMap(({ label, values }) => {
        const known = labels.get(label);
        if (known === undefined) return [`${metric}{${label}}`];
        const unheard = values.filter((value) => value !== '' && known?.includes(value) === false);
        return unheard.map((value) => `${metric}{${label}="${value}"}`);
      });
  });
  const grouped = groupingsOf(expr).filter(
    (label) =>
      !ofTheScrape.includes(label) &&
      selections.length > 0 &&
      !selections.some(({ metric }) => catalogue.get(metric)?.has(label)),
  );
  return [...wrong, ...grouped].map((problem) => `${source}: ${problem}`);
}

test('rules, panels and planted series name metrics, labels and values that the services have', () => {
  const ours = (expr: string) => !expr.startsWith('inventory:');
  const queries = [...rules, ...dashboardQueries('5m'), ...planted].filter(({ expr }) =>
    ours(expr),
  );

  expect(queries.flatMap(unknownIn)).toEqual([]);
});

test('a name, a label and a value that no service exports are each found', () => {
  for (const expr of [
    'sum(inventory_refresh_stuk)',
    'sum by (phasis) (inventory_refresh_stuck)',
    'inventory_identity_states{state="quiet"}',
    'rate(inventory_refresh_duration_count{outcome=~"private|lost"}[5m])',
  ]) {
    expect(unknownIn({ source: 'wrong', expr })).toHaveLength(1);
  }
});
