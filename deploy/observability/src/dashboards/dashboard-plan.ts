/** What a dashboard shows, before any of it is Grafana's. */
export interface DashboardPlan {
  /** Part of its address and its file's name: never changed once published. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Can be narrowed to some services: its queries use {@link chosenServices}. */
  readonly byService?: boolean;
  readonly rows: readonly Row[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly PanelPlan[];
}

export interface PanelPlan extends PanelOptions {
  readonly title: string;
  /** What it means and what is normal, for someone who sees it the first time. */
  readonly description: string;
  /** How figures are written; Grafana's names of units. */
  readonly unit: Unit;
  /** Lines over time, or the latest figure alone. */
  readonly shows: 'lines' | 'areas' | 'figure';
  readonly queries: Queries;
}

interface PanelOptions {
  /** Shows single spans as points (exemplars), each with the address of its trace. */
  readonly leadsToTraces?: boolean;
  /** From here on it is yellow, and red: where an alert's threshold is, that one. */
  readonly warnAt?: number;
  readonly failAt?: number;
}

/** By the legend of each line, which has `{{label}}` in it. */
export type Queries = Readonly<Record<string, string>>;

type Unit = 's' | 'short' | 'reqps' | 'ops' | 'percentunit' | 'Bps' | 'bytes';

type Panel = (
  title: string,
  unit: Unit,
  description: string,
  queries: Queries,
  options?: PanelOptions,
) => PanelPlan;

const panel =
  (shows: PanelPlan['shows']): Panel =>
  (title, unit, description, queries, options) => ({
    ...{ title, unit, description, shows, queries },
    ...options,
  });

export const lines = panel('lines');
export const areas = panel('areas');
export const figure = panel('figure');

/** The window of a rate: Grafana takes one that holds enough samples of the shown range. */
const window = '$__rate_interval';
/** Selects what the reader chose above the dashboard. */
export const chosenServices = 'service=~"$service"';

type Labels = string;

/** Rate of a counter's or histogram's events, summed by labels: `rate('x_total', 'route')`. */
export function rateOf(series: string, by: Labels = '', selector = ''): string {
  return `sum${byOf(by)} (rate(${series}${selected(selector)}[${window}]))`;
}

/** A share of the observations of a histogram were at most this long. */
export function quantileOf(share: number, histogram: string, by: Labels = '', selector = '') {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const buckets = `sum by (${labels}) (rate(${histogram}_bucket${selected(selector)}[${window}]))`;
  return `histogram_quantile(${share}, ${buckets})`;
}

/** The median and the slow end of a histogram, in that order. */
export function medianAndSlow(histogram: string, by: Labels = '', selector = ''): Queries {
  const legend =
    by === ''
      ? ''
      : `${by
          .split(', ')
          .map((label) => `{{${label}}}`)
          .join(' ')} `;
  return {
    [`${legend}p50`]: quantileOf(0.5, histogram, by, selector),
    [`${legend}p99`]: quantileOf(0.99, histogram, by, selector),
  };
}

function byOf(labels: string): string {
  return labels === '' ? '' : ` by (${labels})`;
}

function selected(selector: string): string {
  return selector === '' ? '' : `{${selector}}`;
}
