'use strict';

/**
 * The page of all pending work, from the table of each service (`src/work.ts`), and the cells of the
 * architecture between `<!-- work: service, name -->` and `<!-- end -->`.
 */
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const pagePath = 'docs/generated/pending-work.md';
const architecturePath = 'docs/contributors/architecture.md';
const cell = /<!-- work: ([a-z-]+), ([a-z_ ]+) -->.*?<!-- end -->/g;

const introduction = `# Pending work

Written by \`npm run generate\` from the table of each service, \`src/work.ts\`
([decisions/0027](../contributors/decisions/0027-pending-work-is-a-field.md)). What waits to be done is in the
document that it is about, so any replica continues it after a crash; commands in a topic are
redelivered and are not listed. A name is the label of the metrics \`inventory_work_…\`.
`;

/** Files to write: path below the root, and content. */
function pendingWork(root, services) {
  const tables = services.flatMap((service) => {
    const path = join(root, 'services', service, 'dist/work.js');
    return existsSync(path) ? [{ service, rows: Object.values(require(path).work) }] : [];
  });
  const page = tables.map(({ service, rows }) => `## ${service}\n\n${tableOf(rows)}\n`);
  return [
    { path: pagePath, content: [introduction, ...page].join('\n') },
    { path: architecturePath, content: withCells(root, tables) },
  ];
}

function withCells(root, tables) {
  const text = readFileSync(join(root, architecturePath), 'utf8');
  return text.replaceAll(cell, (_cell, service, name) => {
    const rows = tables.find((table) => table.service === service)?.rows ?? [];
    const row = rows.find((one) => one.name === name);
    if (!row) throw new Error(`${architecturePath}: ${service} has no work named ${name}`);
    return `<!-- work: ${service}, ${name} -->${row.afterCrash}<!-- end -->`;
  });
}

function tableOf(rows) {
  const lines = rows.map(
    (row) =>
      `| *${row.name}*: ${row.what} | \`${row.collection}\` | ${slots(row)} | ${lease(row)} | ${pause(row)} | ${row.afterCrash} | ${row.givesUp} |`,
  );
  const titles = ['Work', 'In', 'At a time', 'Taken over after', 'Tried again after'];
  const head = [...titles, 'After a crash', 'Ends undone'];
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines].join('\n');
}

const setting = (value) => `\`${value}\``;
const seconds = (ms) => `${ms / 1_000} s`;

function slots({ slots: atATime }) {
  return typeof atATime === 'string' ? atATime : `${atATime} of each replica`;
}

function lease({ leaseMs }) {
  if (leaseMs === undefined) return 'the pause';
  return typeof leaseMs === 'string' ? setting(leaseMs) : seconds(leaseMs);
}

function pause({ again }) {
  if (again === undefined) return 'the lease';
  if (typeof again === 'string') return `${setting(again)}, doubled`;
  return `${seconds(again.firstMs)}, doubled up to ${seconds(again.maxMs)}`;
}

module.exports = { pendingWork };
