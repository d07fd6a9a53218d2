'use strict';

/**
 * Writes the overlay of an installation from a file of its values, a copy of
 * deploy/kubernetes/overlays/production/values.yaml; with `--check` it only says what is missing. Every
 * name that has to be replaced is a value: scripts/kubernetes.js renders each combination to prove it.
 */
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { basename, join, relative, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { parse } = require('yaml');
const { overlayFiles } = require('./kubernetes/production-overlay.js');
const { findPlaceholders, findProblems } = require('./kubernetes/values.js');

const usage = `node scripts/make-production.js --values FILE (--check | --out FOLDER)
  --values FILE   a copy of deploy/kubernetes/overlays/production/values.yaml
  --check         lists what is missing, malformed or still the example's
  --out FOLDER    writes the overlay into it, for kubectl apply -k FOLDER`;
const folder = resolve(__dirname, '../deploy/kubernetes');

function readOptions() {
  const { values } = parseArgs({
    options: {
      values: { type: 'string' },
      check: { type: 'boolean' },
      out: { type: 'string' },
    },
  });
  if (!values.values || Boolean(values.check) === Boolean(values.out)) throw new Error(usage);
  return values;
}

function main() {
  const { values: file, out } = readOptions();
  const values = parse(readFileSync(file, 'utf8')) ?? {};
  const problems = [
    ...findProblems(values),
    ...findPlaceholders(values).map((path) => `${path}: is still that of the example`),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  if (!out) {
    process.stdout.write(`${file} is complete\n`);
    return;
  }
  const from = relative(resolve(out), folder);
  mkdirSync(out, { recursive: true });
  for (const [name, text] of Object.entries(overlayFiles(values, { from, source: basename(file) })))
    writeFileSync(join(out, name), text);
  const ofProxies = ['public-tls', ...(values.events_host ? ['events-tls'] : [])];
  process.stdout.write(
    `${out}: kubectl apply -k ${out}\n` +
      `It needs the Secrets of scripts/make-secrets.js, and of the proxies: ${ofProxies.join(', ')}\n`,
  );
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
