'use strict';

/**
 * Checks the installed packages against the registry: their signatures, and published advisories
 * about what is shipped. Ends with 1 when a signature is invalid or missing, or when an advisory of
 * severity high or critical is about a shipped package. What the registry does not report is listed
 * as not checked; with --strict that ends with 1 as well.
 *
 *   npm run -s audit
 *   npm run -s audit -- --strict
 */
const { spawnSync } = require('node:child_process');
const { resolve } = require('node:path');

const root = resolve(__dirname, '..');
/** Limit of one request series to the registry. */
const timeoutMs = 120_000;
const severities = ['info', 'low', 'moderate', 'high', 'critical'];
const refusedFrom = severities.indexOf('high');

/** The JSON that `npm audit` printed with these arguments, or null where it did not respond. */
function requestAudit(...args) {
  const { status, stdout } = spawnSync('npm', ['audit', ...args, '--json', '--fetch-retries=0'], {
    cwd: root,
    encoding: 'utf8',
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  try {
    const report = JSON.parse(stdout);
    return status === null || report.error || report.message ? null : report;
  } catch {
    return null;
  }
}

/** `{ checked, problems, notes }` of the output of `npm audit signatures`. */
function judgeSignatures(report) {
  if (!Array.isArray(report?.invalid)) return { checked: false, problems: [], notes: [] };
  const named = (list, text) => list.map(({ name, version }) => `${text}: ${name}@${version}`);
  const { invalid, missing = [] } = report;
  const problems = [
    ...named(invalid, 'invalid signature'),
    ...named(missing, 'no signature, and the registry signs'),
  ];
  return { checked: true, problems, notes: [] };
}

/** The same of the output of `npm audit --omit=dev`: a line for each package with advisories. */
function judgeAdvisories(report) {
  if (!report?.vulnerabilities) return { checked: false, problems: [], notes: [] };
  const found = { checked: true, problems: [], notes: [] };
  for (const { name, severity, via } of Object.values(report.vulnerabilities)) {
    const advisories = via.filter((one) => typeof one === 'object').map(({ url }) => url);
    if (advisories.length === 0) continue;
    const isRefused = severities.indexOf(severity) >= refusedFrom;
    const line = `${severity}: ${name} ${advisories.join(' ')}`;
    (isRefused ? found.problems : found.notes).push(line);
  }
  return found;
}

function main() {
  const [option, ...more] = process.argv.slice(2);
  if (more.length > 0 || (option !== undefined && option !== '--strict')) {
    process.stderr.write('usage: npm run -s audit [-- --strict]\n');
    process.exitCode = 2;
    return;
  }
  const results = [
    ['signatures', judgeSignatures(requestAudit('signatures'))],
    ['advisories', judgeAdvisories(requestAudit('--omit=dev'))],
  ];
  for (const [name, { checked, problems, notes }] of results) {
    const state = checked
      ? `${problems.length} problems`
      : 'not checked: no response of the registry';
    process.stdout.write(`${[`${name}: ${state}`, ...problems, ...notes].join('\n  ')}\n`);
    if (problems.length > 0 || (!checked && option === '--strict')) process.exitCode = 1;
  }
}

module.exports = { judgeAdvisories, judgeSignatures };

if (require.main === module) main();
