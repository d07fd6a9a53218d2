'use strict';

/**
 * The table of a service's own settings in its README, between the two `settings` marks, and the page
 * of all settings, from the configuration schemas.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { settingsPage } = require('./settings-page.js');

const begin = '<!-- settings:begin -->';
const end = '<!-- settings:end -->';

/** Files to write: path below the root, and content. */
function settingsTables(root, services) {
  const { serviceSettings } = require(join(root, 'libs/runtime/dist/service-settings.js'));
  const tables = services.map((service) => {
    const path = `services/${service}/README.md`;
    const readme = readFileSync(join(root, path), 'utf8');
    const { settings } = require(join(root, 'services', service, 'dist/config.js'));
    return { path, content: withTable(path, readme, tableOf(settings, serviceSettings)) };
  });
  return [...tables, settingsPage(root, services, { cellOf: defaultOf })];
}

function tableOf(settings, common) {
  const rows = Object.entries(settings)
    .filter(([name]) => !(name in common))
    .map(([name, schema]) => `| \`${name}\` | ${defaultOf(schema)} | ${schema.description} |`);
  return ['| Setting | Default | What it is |', '|---|---|---|', ...rows].join('\n');
}

/** The default of a setting, by its schema. */
function defaultOf(schema) {
  const parsed = schema.safeParse(undefined);
  if (!parsed.success) return '**required**';
  if (parsed.data === undefined) return 'none';
  return parsed.data === '' ? 'empty' : `\`${[parsed.data].flat().join(',')}\``;
}

function withTable(path, readme, table) {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no marks for its settings table`);
  return `${readme.slice(0, from + begin.length)}\n${table}\n${readme.slice(to)}`;
}

module.exports = { settingsTables };
