import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { readCommands } from '../../deploy/operator-cli/src/operator-commands.ts';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { dashboardTitles } from './support/dashboard-queries.ts';
import { configOf } from './support/known-settings.ts';
import { plantedFaults } from './support/planted-faults.ts';
import { type AlertRule, readAlerts } from './support/rules.ts';

const pages = trackedFiles(/^docs\/operators\/(runbooks\/.*|observability)\.md$/);

const alertRules = readAlerts();

/** Read by the operator's command line. */
const ofTheOperator = ['OPERATOR_URL', 'OPERATOR_TOKEN'];

/** What the pages name in a certain way, with the page that does. */
function named(pattern: RegExp): { path: string; name: string }[] {
  return pages.flatMap(({ path, text }) =>
    [...text.replaceAll(/\s+/g, ' ').matchAll(pattern)].map(([, name = '']) => ({ path, name })),
  );
}

test('every alert has its runbook, and every runbook its alert', () => {
  const folder = join(root, 'docs/operators/runbooks');
  const written = readdirSync(folder).filter((name) => name !== 'README.md');

  expect(alertRules.map(fileOf).toSorted()).toEqual(written.toSorted());
  for (const rule of alertRules) {
    expect(readFileSync(join(folder, fileOf(rule)), 'utf8')).toMatch(
      new RegExp(`^# ${rule.alert}\n`),
    );
  }
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const rule of alertRules) {
    expect(index).toContain(`| [${rule.alert}](${fileOf(rule)}) | ${rule.labels.severity} |`);
  }
});

test('an alert links to its runbook by an absolute address, below one that operators set', () => {
  const links = alertRules.map((rule) => {
    const words = rule.alert.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
    expect(fileOf(rule)).toBe(`${words}.md`);
    return new URL('.', rule.annotations.runbook_url);
  });

  expect(new Set(links.map(({ href }) => href)).size).toBe(1);
  expect(links[0]?.protocol).toBe('https:');
});

function fileOf({ annotations }: AlertRule): string {
  return annotations.runbook_url.split('/').at(-1) ?? '';
}

test('every alert has a fault that it is shown to fire on', () => {
  const shown = new Set(plantedFaults.map(({ fires: [meant = ''] }) => meant));

  expect([...shown].toSorted()).toEqual(alertRules.map(({ alert }) => alert).toSorted());
});

test('runbooks name settings that there are', async () => {
  const configs = await Promise.all(serviceNames.map(configOf));
  const known = new Set([
    ...configs.flatMap(({ settings }) => Object.keys(settings)),
    ...ofTheOperator,
  ]);
  const settings = named(/`([A-Z][A-Z_]{4,})`/g);

  expect(settings.length).toBeGreaterThan(20);
  expect(settings.filter(({ name }) => !known.has(name))).toEqual([]);
});

test('runbooks name panels and periodic jobs that there are', () => {
  const jobs = trackedFiles(/^services\/[^/]+\/src\/.*\.ts$/).flatMap(({ text }) =>
    [...text.matchAll(/(?:name: |repeat\()'([a-z ]+)'/g)].map(([, name = '']) => name),
  );
  const known = [...dashboardTitles(), ...jobs];
  const shown = named(/(?<![*\w])\*([^* ][^*]*)\*(?!\*)/g);

  expect(shown.length).toBeGreaterThan(60);
  expect(shown.filter(({ name }) => !known.some((title) => title.startsWith(name)))).toEqual([]);
});

test('runbooks, documents and READMEs of services name log entries that there are', () => {
  const sources = trackedFiles(/^(services|libs)\/[^/]+\/src\/.*\.ts$/).map(({ text }) => text);
  const documents = trackedFiles(
    /^(docs\/[^/]*\/[^/]*|docs\/operators\/runbooks\/.*|services\/[^/]+\/README)\.md$/,
  );
  const lines = documents.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line) => (/\blogs?\b/.test(line) ? [{ path, line }] : [])),
  );
  const entries = lines.flatMap(({ path, line }) =>
    [...line.matchAll(/`(?!kubectl|operator)([a-z]+(?: [a-z,]+)+)`/g)].map(([, name = '']) => ({
      path,
      name,
    })),
  );

  expect(entries.length).toBeGreaterThan(20);
  expect(entries.filter(({ name }) => !sources.some((text) => text.includes(name)))).toEqual([]);
});

test('runbooks name commands that the operator’s command line has', () => {
  const known = readCommands().map(({ words }) => words);
  const used = named(/`(?:npm run -s )?operator (?:-- )?([a-z]+(?: [a-z][a-z-]+)?)/g);

  expect(used.length).toBeGreaterThan(5);
  const isKnown = (name: string) =>
    known.includes(name) || known.includes(name.split(' ')[0] ?? '');
  expect(used.filter(({ name }) => !isKnown(name))).toEqual([]);
});
