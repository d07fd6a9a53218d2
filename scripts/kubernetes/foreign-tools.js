'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');

const root = resolve(__dirname, '../..');
const { cacheDirectory, provideCached } = require(
  join(root, 'libs/backends/dist/cache-directory.js'),
);

const versions = {
  kustomize: 'v5.7.1',
  kubernetesValidate: '1.37.0',
  keda: 'v2.17.2',
  gatewayApi: 'v1.3.0',
  prometheusOperator: 'v0.83.0',
};

/** Runs a program to its end; throws what it printed when it fails, unless that is allowed. */
function output(command, args, { env = {}, mayFail = false } = {}) {
  const options = {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  };
  const { stdout, stderr, status, error } = spawnSync(command, args, options);
  if (error) throw error;
  if (status !== 0 && !mayFail)
    throw new Error(`${command} ${args.join(' ')}:\n${stderr}${stdout}`);
  return { stdout, stderr, status };
}

function provide(name, spaceNeededMiB, make) {
  const cacheDir = cacheDirectory(process.env);
  const onProgress = (sentence) => process.stderr.write(`${sentence}\n`);
  return provideCached({ cacheDir, name, spaceNeededMiB, onProgress, signal: undefined, make });
}

/** Its path; compiled at the first use, which takes minutes. */
async function kustomize() {
  const name = `kustomize-${versions.kustomize}`;
  const folder = await provide(name, 800, async (target) => {
    process.stderr.write('kustomize is being compiled.\n');
    const module = `sigs.k8s.io/kustomize/kustomize/v5@${versions.kustomize}`;
    output('go', ['install', module], { env: { GOBIN: target } });
  });
  return join(folder, 'kustomize');
}

/** Path of kubernetes-validate, in an environment of its own. */
async function kubernetesValidate() {
  const name = `kubernetes-validate-${versions.kubernetesValidate}`;
  // A virtual environment holds its own path and cannot be moved: the packages alone can.
  const folder = await provide(name, 300, async (target) => {
    const wanted = `kubernetes-validate==${versions.kubernetesValidate}`;
    output('python3', [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--target',
      join(target, 'packages'),
      wanted,
    ]);
  });
  return { env: { PYTHONPATH: join(folder, 'packages') } };
}

/** Folder of a Go module's files. */
function goModule(path, version) {
  const { stdout } = output('go', ['mod', 'download', '-json', `${path}@${version}`]);
  const { Dir } = JSON.parse(stdout);
  if (!existsSync(Dir)) throw new Error(`${path} was not downloaded`);
  return Dir;
}

/** The files that define the kinds which are not Kubernetes' own. */
function definitionFiles() {
  const keda = goModule('github.com/kedacore/keda/v2', versions.keda);
  const gatewayApi = goModule('sigs.k8s.io/gateway-api', versions.gatewayApi);
  const prometheus = join(
    goModule('github.com/prometheus-operator/prometheus-operator', versions.prometheusOperator),
    'example/prometheus-operator-crd',
  );
  return [
    join(keda, 'config/crd/bases/keda.sh_scaledobjects.yaml'),
    join(gatewayApi, 'config/crd/standard/gateway.networking.k8s.io_gateways.yaml'),
    join(gatewayApi, 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'),
    join(prometheus, 'monitoring.coreos.com_podmonitors.yaml'),
    join(prometheus, 'monitoring.coreos.com_prometheusrules.yaml'),
  ];
}

module.exports = { definitionFiles, kubernetesValidate, kustomize, output, versions };
