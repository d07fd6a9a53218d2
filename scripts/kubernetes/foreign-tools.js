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

/** Runs a program to its end; throws its output when it fails, unless `mayFail`. */
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
  return provideCached({ cacheDir, name, spaceNeededMiB, make });
}

/** Path of kustomize, which is compiled at the first use (minutes). */
async function kustomize() {
  const name = `kustomize-${versions.kustomize}`;
  const folder = await provide(name, 800, async (target) => {
    process.stderr.write('Compiling kustomize.\n');
    const module = `sigs.k8s.io/kustomize/kustomize/v5@${versions.kustomize}`;
    output('go', ['install', module], { env: { GOBIN: target } });
  });
  return join(folder, 'kustomize');
}

/** Environment for `python3 -m kubernetes_validate`. */
async function kubernetesValidate() {
  const name = `kubernetes-validate-${versions.kubernetesValidate}`;
  // A virtual environment holds its own path and cannot be moved; its packages can.
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

/** Directory of a Go module. */
function goModule(path, version) {
  const { stdout } = output('go', ['mod', 'download', '-json', `${path}@${version}`]);
  const { Dir } = JSON.parse(stdout);
  if (!existsSync(Dir)) throw new Error(`${path} was not downloaded`);
  return Dir;
}

/** The files that define the custom resources. */
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
    join(prometheus, 'monitoring.coreos.com_probes.yaml'),
    join(prometheus, 'monitoring.coreos.com_prometheusrules.yaml'),
  ];
}

module.exports = { definitionFiles, kubernetesValidate, kustomize, output, versions };
