'use strict';

/**
 * Renders the overlays of deploy/kubernetes by kustomize into deploy/kubernetes/rendered, after
 * rendering every combination of components that the values of an installation allow. Each is checked:
 * pods are reached by what they need, no time limit cuts what a setting allows, every name of what is
 * outside is a value. All resources follow the strict schemas of Kubernetes, KEDA, Gateway API and the
 * Prometheus operator. Needs Go and Python; the tests of the rendered files do not.
 */
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative, resolve } = require('node:path');
const { parse, parseAllDocuments, stringify } = require('yaml');
const { loadJob, programJob } = require('../deploy/restore/jobs.js');
const { checkPods } = require('./kubernetes/check-pods.js');
const { checkTimeouts } = require('./kubernetes/check-timeouts.js');
const { combinations, isFilled, rendered } = require('./kubernetes/combinations.js');
const { foreignNames } = require('./kubernetes/foreign-names.js');
const { overlayFiles } = require('./kubernetes/production-overlay.js');
const { sourcesDigest, textDigest } = require('./kubernetes/sources-digest.js');
const { findProblems } = require('./kubernetes/values.js');
const {
  definitionFiles,
  kubernetesValidate,
  kustomize,
  output,
  versions,
} = require('./kubernetes/foreign-tools.js');

const root = resolve(__dirname, '..');
const folder = join(root, 'deploy/kubernetes');
const overlays = ['local', 'production'];

const resourcesOf = (text) => parseAllDocuments(text).map((document) => document.toJS());

/** Forbids unknown fields, as the strict schemas of Kubernetes do. */
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema)
    .filter(([key, value]) => key !== 'pattern' || !isOfGoAlone(value))
    .map(([key, value]) => [key, strict(value)]);
  const made = Object.fromEntries(entries);
  const isClosed = made.type === 'object' && made.properties && !made.additionalProperties;
  if (isClosed && !made['x-kubernetes-preserve-unknown-fields']) made.additionalProperties = false;
  return made;
}

/** A pattern with inline flags, which JavaScript does not support. */
function isOfGoAlone(pattern) {
  return typeof pattern === 'string' && pattern.includes('(?i)');
}

/** A validator for each custom resource, by `apiVersion/kind`. */
function definitionChecks() {
  const Ajv = require('ajv');
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const checks = new Map();
  for (const file of definitionFiles()) {
    const { spec } = parse(readFileSync(file, 'utf8'));
    for (const { name, schema } of spec.versions) {
      const { metadata: _any, ...properties } = strict(schema.openAPIV3Schema).properties;
      const known = { type: 'object', properties: { ...properties, metadata: { type: 'object' } } };
      const check = ajv.compile({ ...known, additionalProperties: false });
      checks.set(`${spec.group}/${name}/${spec.names.kind}`, check);
    }
  }
  return checks;
}

function checkForeign(text, checks) {
  return resourcesOf(text).flatMap((resource) => {
    const check = checks.get(`${resource.apiVersion}/${resource.kind}`);
    if (check === undefined || check(resource)) return [];
    return check.errors.map(
      ({ instancePath, message, params }) =>
        `${resource.kind} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  });
}

/** Problems by the schemas of Kubernetes: resources without a schema, and violations. */
function checkOwn(text, validator, checks) {
  const scratch = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    const file = join(scratch, 'rendered.yaml');
    writeFileSync(file, text);
    const args = ['-m', 'kubernetes_validate', '--strict', file];
    const { stdout, stderr, status } = output('python3', args, {
      env: validator.env,
      mayFail: true,
    });
    const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    if (lines.length === 0) return [`kubernetes-validate printed nothing (${status})`];
    return lines
      .filter((line) => !/passed for resource/.test(line))
      .filter((line) => !isForeign(line, checks))
      .map((line) => line.replaceAll(file, ''));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isForeign(line, checks) {
  const [, kind, version] = /find schema for kind (\S+) with api version (\S+)/.exec(line) ?? [];
  return checks.has(`${version}/${kind}`);
}

/** Renderings of the combinations by name. */
function renderCombinations(program) {
  const scratch = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  try {
    const from = relative(scratch, folder);
    return new Map(
      combinations().map(({ name, values }) => {
        const problems = findProblems(values);
        if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`);
        for (const [file, text] of Object.entries(overlayFiles(values, { from, source: name })))
          writeFileSync(join(scratch, file), text);
        const { stdout, stderr, status } = output(program, ['build', scratch], { mayFail: true });
        if (status !== 0) throw new Error(`${name} is not rendered:\n${stderr}`);
        return [name, stdout];
      }),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Names of an installation that no value sets, and values that are used nowhere. */
function checkNames(byName) {
  const texts = [...byName.values()];
  const unset = [...byName].flatMap(([name, text]) =>
    foreignNames(resourcesOf(text))
      .filter((one) => !isFilled(one))
      .map((one) => `${name}: ${one} is no value`),
  );
  const unused = rendered.filter((value) => !texts.some((text) => text.includes(value)));
  return [...unset, ...unused.map((value) => `${value} is in no combination`)];
}

function checkUse(byName) {
  return [...byName].flatMap(([name, text]) => {
    const resources = resourcesOf(text);
    return [...checkPods(resources), ...checkTimeouts(resources)].map(
      (problem) => `${name}: ${problem}`,
    );
  });
}

/** Jobs that the script of a restore makes of what is rendered. */
function jobsOfRestore(text) {
  const deployments = resourcesOf(text).filter(({ kind }) => kind === 'Deployment');
  const args = ['--verify'];
  const jobs = [
    ...deployments.map((one) => programJob(one, { name: `restore-${one.metadata.name}`, args })),
    loadJob({ claim: 'backups', archive: 'an.archive', image: 'mongo:8' }),
  ];
  return jobs.map((job) => stringify(job, { aliasDuplicateObjects: false })).join('---\n');
}

/** Each different resource once. */
function distinct(texts) {
  return [...new Set(texts.flatMap((text) => text.split(/^---\n/m)))].join('---\n');
}

async function main() {
  const program = await kustomize();
  const validator = await kubernetesValidate();
  const checks = definitionChecks();
  const ofOverlays = new Map(
    overlays.map((name) => [
      name,
      output(program, ['build', join(folder, 'overlays', name)]).stdout,
    ]),
  );
  const ofCombinations = renderCombinations(program);
  const all = distinct([
    ...ofOverlays.values(),
    ...ofCombinations.values(),
    jobsOfRestore(ofOverlays.get('production')),
  ]);
  const problems = [
    ...checkOwn(all, validator, checks),
    ...checkForeign(all, checks),
    ...checkUse(ofOverlays),
    ...checkUse(ofCombinations),
    ...checkNames(ofCombinations),
  ];
  if (problems.length > 0) throw new Error([...new Set(problems)].join('\n'));
  mkdirSync(join(folder, 'rendered'), { recursive: true });
  for (const [name, text] of ofOverlays) {
    const header = [
      `# Rendered by kustomize ${versions.kustomize}: edit overlays/${name} and run node scripts/kubernetes.js.`,
      `# sources: ${sourcesDigest(root)}`,
      `# resources: ${textDigest(text)}`,
      '',
    ].join('\n');
    writeFileSync(join(folder, 'rendered', `${name}.yaml`), header + text);
  }
  process.stdout.write(
    `${overlays.length} overlays and ${ofCombinations.size} combinations pass their checks\n`,
  );
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
