'use strict';

/**
 * `npm run generate`: writes the files that are derived from the code: topics, JSON Schemas of the
 * messages, OpenAPI documents and client types, settings, metrics, dashboards, alerts, the overlay
 * `production`. With `--check` it writes nothing and fails when a file would change.
 */
const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join, resolve } = require('node:path');
const { licencesPage } = require('./generate/licences-page.js');
const { messageDocs, messageDocsFolder } = require('./generate/message-docs.js');
const { metricsPage } = require('./generate/metrics-page.js');
const { dashboardsFolder, observabilityFiles } = require('./generate/observability-files.js');
const { openApiFiles } = require('./generate/openapi-files.js');
const { pendingWork } = require('./generate/pending-work.js');
const { productionOverlay } = require('./generate/production-overlay.js');
const { settingsPage } = require('./generate/settings-page.js');
const { specMap } = require('./generate/spec-map.js');

const root = resolve(__dirname, '..');

async function generatedFiles() {
  const { serviceNames } = require(join(root, 'libs/contracts/dist/topics.js'));
  // First: it lists the instruments that a module makes when it is loaded for the first time.
  const metrics = metricsPage(root, serviceNames);
  return [
    metrics,
    ...messageDocs(root),
    ...(await openApiFiles(root)),
    settingsPage(root, serviceNames),
    ...pendingWork(root, serviceNames),
    ...specMap(root),
    ...observabilityFiles(root),
    ...productionOverlay(root),
    licencesPage(root),
  ];
}

/** Files that are no longer generated. */
function leftovers(files) {
  const wanted = new Set(files.map(({ path }) => path));
  return [messageDocsFolder, dashboardsFolder]
    .flatMap(filesBelow)
    .filter((path) => !wanted.has(path));
}

function filesBelow(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

function isCurrent({ path, content }) {
  const target = join(root, path);
  return existsSync(target) && readFileSync(target, 'utf8') === content;
}

async function main() {
  const files = await generatedFiles();
  const stale = files.filter((file) => !isCurrent(file));
  const surplus = leftovers(files);
  const changes = [...stale.map(({ path }) => path), ...surplus];
  if (process.argv.includes('--check')) {
    if (changes.length === 0) return;
    process.stderr.write(`Not up to date (npm run generate):\n  ${changes.join('\n  ')}\n`);
    process.exitCode = 1;
    return;
  }
  for (const { path, content } of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  for (const path of surplus) rmSync(join(root, path));
  for (const path of changes) process.stdout.write(`${path}\n`);
}

void main();
