'use strict';

/**
 * Renders the overlays of deploy/kubernetes by kustomize into deploy/kubernetes/rendered, after
 * validating them and the components that no overlay uses against the strict schemas of Kubernetes,
 * KEDA, Gateway API and the Prometheus operator. Needs Go and Python; the tests of the rendered files
 * do not.
 */
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { sourcesDigest, textDigest } = require('./kubernetes/sources-digest.js');
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
/** Those that are complete by themselves; 'secured-backends' is rendered with an overlay. */
const components = [
  'collector-by-hpa',
  'collector-by-keda',
  'events-origin',
  'gateway-api',
  'gateway-by-streams',
  'ingress',
  'prometheus-operator',
  'scaling',
];

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
  const { parse } = require('yaml');
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

function checkForeign(text, checks, where) {
  const { parseAllDocuments } = require('yaml');
  const resources = parseAllDocuments(text).map((document) => document.toJS());
  return resources.flatMap((resource) => {
    const check = checks.get(`${resource.apiVersion}/${resource.kind}`);
    if (check === undefined || check(resource)) return [];
    return check.errors.map(
      ({ instancePath, message, params }) =>
        `${where} ${resource.kind} ${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  });
}

/** Problems by the schemas of Kubernetes: resources without a schema, and violations. */
function checkOwn(text, validator, checks, where) {
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
    if (lines.length === 0) return [`${where}: kubernetes-validate printed nothing (${status})`];
    return lines
      .filter((line) => !/passed for resource/.test(line))
      .filter((line) => !isForeign(line, checks))
      .map((line) => `${where} ${line.replaceAll(file, '')}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isForeign(line, checks) {
  const [, kind, version] = /find schema for kind (\S+) with api version (\S+)/.exec(line) ?? [];
  return checks.has(`${version}/${kind}`);
}

async function main() {
  const program = await kustomize();
  const validator = await kubernetesValidate();
  const checks = definitionChecks();
  const build = (path) => output(program, ['build', join(folder, path)]).stdout;
  const built = new Map(
    [
      ...overlays.map((name) => `overlays/${name}`),
      ...components.map((name) => `components/${name}`),
    ].map((path) => [path, build(path)]),
  );
  const problems = [...built].flatMap(([path, text]) => [
    ...checkOwn(text, validator, checks, path),
    ...checkForeign(text, checks, path),
  ]);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  mkdirSync(join(folder, 'rendered'), { recursive: true });
  for (const name of overlays) {
    const text = built.get(`overlays/${name}`);
    const header = [
      `# Rendered by kustomize ${versions.kustomize}: edit overlays/${name} and run node scripts/kubernetes.js.`,
      `# sources: ${sourcesDigest(folder)}`,
      `# resources: ${textDigest(text)}`,
      '',
    ].join('\n');
    writeFileSync(join(folder, 'rendered', `${name}.yaml`), header + text);
  }
  process.stdout.write(`${built.size} renderings follow their schemas\n`);
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
