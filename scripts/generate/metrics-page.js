'use strict';

/** The page of all metrics: description, name in a scrape, and the possible values of each label. */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const path = 'docs/generated/metrics.md';

const shared = [
  'libs/http/dist/measure-requests.js',
  'libs/messaging/dist/messaging-metrics.js',
  'libs/runtime/dist/job-metrics.js',
  'libs/runtime/dist/process-metrics.js',
  'libs/runtime/dist/readiness-metrics.js',
  'libs/work/dist/work-metrics.js',
];

const introduction = `# Metrics

Written from the code by \`npm run generate\`. Every service shows its own at \`/metrics\` of its
private port, in the Prometheus text format: dots become underscores, counters end in \`_total\`,
histograms in \`_bucket\`, \`_sum\` and \`_count\`; no unit is added to a name. Times are in seconds. The
scrape adds service and replica. No label holds an id: a label has the values listed here and no
others, and a test compares them with the metrics of a running product.

Read gauges that are the same on all replicas with \`max()\`, all others with \`sum()\`.
`;

/** Files to write: path below the root, and content. */
function metricsPage(root, services) {
  const { describedInstruments } = require(join(root, 'libs/runtime/dist/instruments.js'));
  const madeBy = (modules) => {
    const before = describedInstruments().length;
    for (const module of modules) require(join(root, module));
    return describedInstruments().slice(before);
  };
  const section = (title, modules) => `\n## ${title}\n\n${tableOf(madeBy(modules))}\n`;
  const sections = [
    section('Of every service', shared),
    ...services.map((service) => section(service, metricsOf(root, service))),
  ];
  return { path, content: `${introduction}${sections.join('')}` };
}

/** The compiled metrics of a service, which may be in its modules. */
function metricsOf(root, service) {
  return readdirSync(join(root, 'services', service, 'src'), { recursive: true })
    .filter((file) => /(^|[/-])metrics\.ts$/.test(file))
    .sort()
    .map((file) => `services/${service}/dist/${file.replace(/\.ts$/, '.js')}`);
}

function tableOf(instruments) {
  const rows = instruments.map((instrument) => {
    const { name, kind, unit, description } = instrument;
    const kindCell = unit ? `${kind}, ${unit}` : kind;
    return `| \`${name}\` | \`${scrapedName(instrument)}\` | ${kindCell} | ${description} | ${labelsOf(instrument)} |`;
  });
  const head = '| Metric | Scraped as | Kind | What it is | Labels and their values |';
  return [head, '|---|---|---|---|---|', ...rows].join('\n');
}

function scrapedName({ name, kind }) {
  const scraped = name.replaceAll('.', '_');
  return kind === 'counter' ? `${scraped}_total` : scraped;
}

function labelsOf({ labels = {} }) {
  const texts = Object.entries(labels).map(([label, values]) => {
    const listed = Array.isArray(values)
      ? values.map((value) => `\`${value}\``).join(' ')
      : values.words;
    return `\`${label.replaceAll('.', '_')}\`: ${listed}`;
  });
  return texts.length > 0 ? texts.join('<br>') : '—';
}

module.exports = { metricsPage };
