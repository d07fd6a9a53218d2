'use strict';

/**
 * One page with every setting of every program: those of all services, those of each service, those
 * of the topics job.
 */
const { join } = require('node:path');

const path = 'docs/generated/settings.md';

/** Units by the end of the setting's name. */
const units = [
  [/_MS$/, 'ms'],
  [/_SECONDS$/, 's'],
  [/_BYTES(_MAX)?$/, 'bytes'],
  [/_PER_MINUTE$/, 'per minute'],
];

const intro = `# Settings

Generated from the schemas of the services. Settings come from the environment; an empty value counts
as absent. \`node main.js --check-config\` names every problem at once, without repeating a value,
and so does a start. **required** marks a setting without a default. What to set, and which settings
are secrets: [configuring.md](../operators/configuring.md).
`;

function settingsPage(root, services) {
  const schemas = new Map(
    services.map((service) => [
      service,
      require(join(root, 'services', service, 'dist/config.js')).settings,
    ]),
  );
  const { serviceSettings } = require(join(root, 'libs/runtime/dist/service-settings.js'));
  const { topicJobSettings } = require(join(root, 'libs/service-host/dist/jobs.js'));
  const common = Object.keys(serviceSettings);
  const sections = [
    `## Every service\n\n${tableOf(serviceSettings)}`,
    ...[...schemas].map(([service, settings]) => `## ${service}\n\n${tableOf(settings, common)}`),
    `## The topics job, \`--ensure-topics\`\n\nIt reads these settings only.\n\n${tableOf(topicJobSettings)}`,
  ];
  return { path, content: `${intro}\n${sections.join('\n\n')}\n` };
}

function tableOf(settings, left = []) {
  const rows = Object.entries(settings)
    .filter(([name]) => !left.includes(name))
    .map(
      ([name, schema]) =>
        `| \`${name}\` | ${withTime(name, defaultOf(schema))} | ${unitOf(name)} | ${schema.description} |`,
    );
  return ['| Setting | Default | Unit | What it is |', '|---|---|---|---|', ...rows].join('\n');
}

/** The default of a setting, by its schema. */
function defaultOf(schema) {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return '**required**';
  if (parsed.data === undefined) return 'none';
  return parsed.data === '' ? 'empty' : `\`${[parsed.data].flat().join(',')}\``;
}

function unitOf(name) {
  return units.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}

/** A minute or more is also given in its largest unit. */
function withTime(name, cell) {
  const ms = Number(/^`(\d+)`$/.exec(cell)?.[1]);
  if (!/_MS$/.test(name) || !(ms >= 60_000)) return cell;
  const [unit, size] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ].find(([, length]) => ms % length === 0 && ms >= length);
  return `${cell} (${ms / size} ${unit})`;
}

module.exports = { settingsPage };
