'use strict';

/** The product in a cluster of Kubernetes, by kubectl and its present context. */
const { spawnSync } = require('node:child_process');
const { setTimeout: pause } = require('node:timers/promises');
const { namespace, services } = require('../../scripts/kubernetes/production-overlay.js');
const { productPods } = require('../../scripts/kubernetes/pods.js');
const { loadJob, programJob } = require('./jobs.js');

/** Those of all services; gateway-events is of the component events-origin. */
const names = [...services, 'gateway-events'];
const ours = `app.kubernetes.io/name in (${names.join(', ')})`;
/** No pod has it. */
const closed = 'game-item-inventory/closed-by-restore';
const paused = 'autoscaling.keda.sh/paused-replicas';
const jobPauseMs = 1_000;

/** Runs kubectl in the namespace; throws what it says when it fails. */
function runKubectl(args, input) {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, input };
  const { stdout, stderr, status, error } = spawnSync(
    'kubectl',
    ['-n', namespace, ...args],
    options,
  );
  if (error) throw error;
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

/** Runs a Job to its end and prints its log; what it returns rejects unless the Job succeeded. */
function createJobRunner(kubectl, print) {
  return async (job) => {
    const { name } = job.metadata;
    kubectl(['delete', `job/${name}`, '--ignore-not-found', '--wait']);
    kubectl(['apply', '-f', '-'], JSON.stringify(job));
    for (;;) {
      const { status } = JSON.parse(kubectl(['get', `job/${name}`, '-o', 'json']));
      const ended = status?.conditions?.find(({ type }) => /^(Complete|Failed)$/.test(type));
      if (!ended) {
        await pause(jobPauseMs);
        continue;
      }
      print(kubectl(['logs', `job/${name}`]));
      if (ended.type === 'Failed') throw new Error(`job/${name} failed; its log is above`);
      return;
    }
  };
}

function createCluster({ kubectl = runKubectl, operator, print }) {
  const list = (...kinds) => JSON.parse(kubectl(['get', kinds.join(','), '-o', 'json'])).items;
  const deployments = () =>
    list('deployments').filter(({ metadata }) => names.includes(metadata.name));
  const deployment = (service) =>
    JSON.parse(kubectl(['get', `deployment/${service}`, '-o', 'json']));

  const runJob = createJobRunner(kubectl, print);
  function forEachOf(kind, args) {
    for (const { metadata } of list(kind)) kubectl(args(metadata.name));
  }
  const suspend = (isSuspended) =>
    forEachOf('cronjobs', (name) => [
      'patch',
      `cronjob/${name}`,
      '-p',
      JSON.stringify({ spec: { suspend: isSuspended } }),
    ]);
  /** Without KEDA there is no such kind. An HPA is idle while its Deployment has no replica. */
  function pauseKeda(annotation) {
    const known = kubectl(['api-resources', '--api-group=keda.sh', '-o', 'name']);
    if (!known.includes('scaledobjects')) return;
    forEachOf('scaledobjects', (name) => ['annotate', `scaledobject/${name}`, ...annotation]);
  }
  function select(value) {
    const patch = JSON.stringify({ spec: { selector: { [closed]: value } } });
    for (const { metadata, spec } of list('services'))
      if (spec.ports.some(({ name }) => name === 'public'))
        kubectl(['patch', `service/${metadata.name}`, '-p', patch]);
  }

  return {
    async close() {
      suspend(true);
      pauseKeda([`${paused}=0`, '--overwrite']);
      select('true');
    },
    async stop() {
      for (const { metadata } of deployments())
        kubectl(['scale', `deployment/${metadata.name}`, '--replicas=0']);
      kubectl(['wait', '--for=delete', 'pod', '-l', ours, '--timeout=5m']);
    },
    async databaseOf(service) {
      const resources = list('deployments', 'configmaps');
      const pod = productPods(resources).find(({ id }) => id === `Deployment ${service}`);
      return pod.containers[0].settings.MONGODB_DATABASE;
    },
    async run(service, ...args) {
      const [, word] = /^--(\w+)/.exec(args[0]);
      await runJob(programJob(deployment(service), { name: `restore-${word}-${service}`, args }));
    },
    async load({ claim, archive, image = 'mongo:8' }) {
      if (claim && archive) await runJob(loadJob({ claim, archive, image }));
      else print('Load the backup by the means of its server now, then continue with rewind.\n');
    },
    async start(service) {
      for (const { metadata, spec } of deployments()) {
        const { name } = metadata;
        if (name !== service && !(service === 'gateway' && name === 'gateway-events')) continue;
        // Paused by KEDA it stays at nothing; other autoscalers continue from one.
        if (service === 'refresh-collector') pauseKeda([`${paused}-`]);
        if (spec.replicas === 0) kubectl(['scale', `deployment/${name}`, '--replicas=1']);
        kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=10m']);
      }
    },
    async raiseEpoch() {
      const resources = list('deployments', 'configmaps');
      const pod = productPods(resources).find(({ id }) => id === 'Deployment event-stream');
      const epoch = Number(pod.containers[0].settings.LOG_EPOCH ?? 1) + 1;
      kubectl(['set', 'env', 'deployment/event-stream', `LOG_EPOCH=${epoch}`]);
      print(`LOG_EPOCH is ${epoch}: write it into settings.event-stream of the values.\n`);
    },
    operator,
    async open() {
      select(null);
      suspend(false);
      pauseKeda([`${paused}-`]);
    },
  };
}

module.exports = { createCluster };
