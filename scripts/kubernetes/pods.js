'use strict';

/** What the checks read of rendered resources. */
const nameLabel = 'app.kubernetes.io/name';
const workloadKinds = ['Deployment', 'Job', 'CronJob'];
const program = /(^|\/)(gateway|refresh-collector|billing-ledger|revision-store|event-stream):/;

const ofKind = (resources, kind) => resources.filter((one) => one.kind === kind);

/** The pods that run a program of the product, with the environment of each container. */
function productPods(resources) {
  return resources
    .filter(({ kind }) => workloadKinds.includes(kind))
    .map(({ kind, metadata, spec }) => {
      const { template } = spec.jobTemplate?.spec ?? spec;
      const { containers, terminationGracePeriodSeconds: graceSeconds } = template.spec;
      return {
        id: `${kind} ${metadata.name}`,
        isServing: kind === 'Deployment',
        labels: template.metadata.labels,
        graceSeconds,
        containers: containers.map((container) => ({
          ...container,
          settings: settingsOf(resources, container),
        })),
      };
    })
    .filter(({ containers }) => containers.every(({ image }) => program.test(image)));
}

/** Without its secrets. */
function settingsOf(resources, { envFrom = [], env = [] }) {
  const maps = envFrom.map(({ configMapRef }) => {
    const map = resources.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name,
    );
    return map?.data ?? {};
  });
  const single = env.filter(({ value }) => value !== undefined).map((one) => [one.name, one.value]);
  return Object.assign({}, ...maps, Object.fromEntries(single));
}

/** Whether a label selector of Kubernetes matches. */
function selects({ matchLabels = {}, matchExpressions = [] }, labels) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator !== 'In') throw new Error(`operator ${operator} is not known here`);
      return values.includes(labels[key]);
    })
  );
}

/** A Service's port as the number at its pods. */
function servedBy(resources, serviceName, port, pods) {
  const service = ofKind(resources, 'Service').find(
    ({ metadata }) => metadata.name === serviceName,
  );
  if (!service) return null;
  const { targetPort } =
    service.spec.ports.find((one) => [one.port, one.name].includes(port)) ?? {};
  return pods
    .filter(({ labels }) => selects({ matchLabels: service.spec.selector }, labels))
    .map((pod) => {
      const ports = pod.containers.flatMap((container) => container.ports ?? []);
      return { pod, port: ports.find(({ name }) => name === targetPort)?.containerPort };
    });
}

module.exports = { nameLabel, ofKind, productPods, selects, servedBy };
