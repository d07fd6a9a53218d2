import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { callersOf } from '@inventory/local-stack/service-tokens';
import { kafkaSettings } from '@inventory/runtime/kafka-access';
import { topicJobSettings } from '@inventory/service-host/jobs';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { callingServices } from './support/calling-services.ts';
import { configOf, type Settings, unknownSettings } from './support/known-settings.ts';
import { makeStandInFiles, unmountedFiles } from './support/mounted-files.ts';
import {
  type Container,
  environmentOf,
  find,
  overlays,
  podOf,
  type Resource,
  readRendered,
  readRenderedText,
} from './support/read-rendered.ts';

const { sourcesDigest, textDigest } = require('../../scripts/kubernetes/sources-digest.js') as {
  sourcesDigest: (root: string) => string;
  textDigest: (text: string) => string;
};
const secret = Buffer.alloc(32, 1).toString('base64url');
/** For Secrets that the production overlay only refers to. */
const standIns: Settings = {
  SERVICE_TOKEN: 'a-service-token-of-16',
  SERVICE_CALLERS: `gateway:${'a'.repeat(64)}`,
  MONGODB_URI: 'mongodb://database.example/',
  OPERATOR_TOKEN: 'an-operator-token-of-16',
  OPERATORS: `alice:support:${'a'.repeat(64)}`,
  CURSOR_KEYS: secret,
  WEBHOOK_SECRET_KEYS: secret,
  PLATFORM_EGRESS: 'http://user:password@proxy.example:3128',
};
const workloadKinds = ['Deployment', 'StatefulSet', 'Job', 'CronJob'];
const backends = ['kafka', 'mongodb'];
const files = makeStandInFiles();
afterAll(() => files.remove());

describe.each(overlays)('the %s overlay as rendered', (overlay) => {
  const resources = readRendered(overlay);
  const workloads = resources.filter(({ kind }) => workloadKinds.includes(kind));
  const containers = workloads.flatMap((workload) =>
    podOf(workload).containers.map((container: Container) => ({ workload, container })),
  );
  const containerOf = (service: ServiceName): Container =>
    podOf(find(resources, 'Deployment', service)).containers[0];
  const configured = async (service: ServiceName) => {
    const rendered = environmentOf(resources, containerOf(service), standIns);
    const environment = files.standIn(rendered);
    return { environment, config: (await configOf(service)).loadConfig(environment) };
  };

  it('is what kustomize makes of the files as they are (node scripts/kubernetes.js)', () => {
    const [, sources, own, ...text] = readRenderedText(overlay).split('\n');
    expect(sources).toBe(`# sources: ${sourcesDigest(root)}`);
    expect(own).toBe(`# resources: ${textDigest(text.join('\n'))}`);
  });

  it.each(serviceNames)(
    'gives %s every setting it requires, and none it does not know',
    async (name) => {
      const { environment } = await configured(name);
      expect(await unknownSettings(name, environment)).toEqual([]);
    },
  );

  it.each(serviceNames)('prepares the indexes of %s by the settings it runs with', (name) => {
    const job = podOf(find(resources, 'Job', 'indexes')) as { containers: Container[] };
    const own = job.containers.find((container) => container.name === name);
    const { image, envFrom, env } = containerOf(name);
    expect(own).toMatchObject({
      image,
      envFrom,
      env,
      command: ['node', 'main.js', '--ensure-indexes'],
    });
  });

  it('verifies the journal each night with the settings of the ledger, one at a time', () => {
    const job = find(resources, 'CronJob', 'ledger-verify');
    const { image, envFrom, env } = containerOf('billing-ledger');
    const [own] = podOf(job).containers;
    expect(own).toMatchObject({ image, envFrom, env, command: ['node', 'main.js', '--verify'] });
    expect(job.spec).toMatchObject({ concurrencyPolicy: 'Forbid', timeZone: 'Etc/UTC' });
  });

  it('makes the topics on the brokers that the services use', async () => {
    const [container] = podOf(find(resources, 'Job', 'topics')).containers;
    const environment = environmentOf(resources, container, {});
    expect(container.command).toEqual(['node', 'main.js', '--ensure-topics']);
    expect(Object.keys(environment).filter((name) => !(name in topicJobSettings))).toEqual([]);
    const { environment: used } = await configured('gateway');
    const access = Object.keys(kafkaSettings).filter(
      (name) => name in used && name !== 'KAFKA_SASL_USERNAME',
    );
    expect(access).toContain('KAFKA_BROKERS');
    expect(files.standIn(environment)).toMatchObject(
      Object.fromEntries(access.map((name) => [name, used[name]])),
    );
  });

  it('gives each service that calls others its own token by its own Secret, and all the digests by one', () => {
    for (const name of serviceNames) {
      const { env = [] } = containerOf(name);
      const refs = Object.fromEntries(
        env.map((one) => [
          one.name,
          one.valueFrom?.secretKeyRef.name.replace(/-[a-z0-9]{10}$/, ''),
        ]),
      );
      expect(refs['SERVICE_CALLERS']).toBe('service-callers');
      expect(refs['SERVICE_TOKEN']).toBe(callingServices.includes(name) ? name : undefined);
    }
    if (overlay !== 'local') return;
    const made = (name: ServiceName) => environmentOf(resources, containerOf(name), {});
    const tokens = callingServices.map(
      (name) => [name, made(name)['SERVICE_TOKEN'] ?? ''] as const,
    );
    expect(made('gateway')['SERVICE_CALLERS']).toBe(callersOf(tokens));
    expect(new Set(tokens.map(([, token]) => token)).size).toBe(callingServices.length);
  });

  it('logs every service in at Kafka as a user of its own, whose rights the topics Job makes', () => {
    const logins = containers
      .filter(({ container }) => !backends.includes(container.name))
      .map(({ workload, container }: { workload: Resource; container: Container }) => {
        const environment = environmentOf(resources, container, standIns);
        const { volumes = [] } = podOf(workload);
        const [mount] = (container.volumeMounts ?? []).filter(({ mountPath }) =>
          environment['KAFKA_SASL_PASSWORD_FILE']?.startsWith(`${mountPath}/`),
        );
        const [volume] = volumes.filter(({ name }: { name: string }) => name === mount?.name);
        const { KAFKA_SASL_USERNAME: user, ACL_PRINCIPALS: principals } = environment;
        return { program: container.image, user, principals, secret: volume?.secret.secretName };
      });
    if (overlay === 'local') {
      expect(logins.filter(({ user, principals }) => user ?? principals)).toEqual([]);
      return;
    }
    const [topicsJob, ...others] = logins.filter(({ user }) => user === 'inventory-admin');
    expect(topicsJob).toMatchObject({ secret: 'kafka-admin' });
    expect(others).toEqual([]);
    for (const login of logins.filter((one) => one !== topicsJob)) {
      const service = serviceNames.find((name) => login.program.includes(`/${name}:`)) ?? '';
      expect(login).toMatchObject({ user: `inventory-${service}`, secret: `kafka-${service}` });
      expect(topicsJob?.principals?.replace('{service}', service)).toBe(`User:${login.user}`);
    }
    expect(new Set(logins.map(({ user }) => user)).size).toBe(serviceNames.length + 1);
  });

  it('selects the Jobs of an upgrade by one label, with every resource that they name', () => {
    const label = 'app.kubernetes.io/component';
    const selected = resources.filter(({ metadata }) => metadata.labels?.[label] === 'preparation');
    const nameOf = ({ kind, metadata }: Resource) => `${kind} ${metadata.name}`;
    const own = resources.map(nameOf);
    const jobs = resources.filter(({ kind }) => kind === 'Job');
    const needed = jobs.flatMap((job) => [
      nameOf(job),
      `ServiceAccount ${podOf(job).serviceAccountName}`,
      ...podOf(job).containers.flatMap(({ envFrom = [], env = [] }: Container) => [
        ...envFrom.map(({ configMapRef }) => `ConfigMap ${configMapRef.name}`),
        ...env.flatMap(({ valueFrom }) =>
          valueFrom ? [`Secret ${valueFrom.secretKeyRef.name}`] : [],
        ),
      ]),
    ]);
    const made = needed.filter((name) => own.includes(name));
    expect(made.length).toBeGreaterThan(8);
    expect(made.filter((name) => !selected.map(nameOf).includes(name))).toEqual([]);
    expect(selected.filter(({ kind }) => kind === 'Deployment')).toEqual([]);
  });

  it('mounts every file that a setting names, from a Secret', () => {
    const ours = containers.filter(({ container }) => !backends.includes(container.name));
    for (const { workload, container } of ours) {
      const environment = environmentOf(resources, container, standIns);
      const { volumes } = podOf(workload);
      expect(unmountedFiles(environment, { volumes, container })).toEqual([]);
    }
    const named = containers.flatMap(({ container }) =>
      Object.keys(environmentOf(resources, container, standIns)),
    );
    expect(named.includes('KAFKA_SASL_PASSWORD_FILE')).toBe(overlay === 'production');
  });

  it.each(serviceNames)('opens the ports %s listens on, and probes it there', async (name) => {
    const { config } = await configured(name);
    const container = containerOf(name);
    const ports = Object.fromEntries(
      (container.ports ?? []).map((port) => [port.name, port.containerPort]),
    );
    const wanted = {
      http: config.http.port,
      ...(config.publicHttp && { public: config.publicHttp.port }),
      ...(config.operatorHttp && { operator: config.operatorHttp.port }),
    };
    expect(ports).toEqual(wanted);
    expect(config.http.host).toBe('0.0.0.0');
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/readyz', port: 'http' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
      livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
    });
  });

  it('confines every container: no root, no write, no capability, no token', () => {
    expect(containers.length).toBeGreaterThan(10);
    for (const { workload, container } of containers) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      expect(container['securityContext']).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
        // Kafka and MongoDB of the local cluster keep data, and Kafka writes its configuration.
        ...(backends.includes(container.name) ? {} : { readOnlyRootFilesystem: true }),
      });
    }
  });

  it('bounds the CPU and memory of every container and fixes its image', () => {
    for (const { container } of containers) {
      const amounts = { cpu: expect.any(String), memory: expect.any(String) };
      expect(container['resources']).toEqual({ requests: amounts, limits: amounts });
      expect(container.image).toMatch(/[^/]:[a-z0-9.]+$/);
      expect(container.image).not.toMatch(/:latest$/);
    }
  });

  it.each(serviceNames)('keeps %s up while nodes go, spread over nodes and zones', (name) => {
    expect(find(resources, 'PodDisruptionBudget', name).spec.maxUnavailable).toBe(1);
    const { topologySpreadConstraints } = podOf(find(resources, 'Deployment', name));
    expect(
      topologySpreadConstraints.map(({ topologyKey }: { topologyKey: string }) => topologyKey),
    ).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
    for (const { matchLabelKeys } of topologySpreadConstraints) {
      expect(matchLabelKeys).toEqual(['pod-template-hash']);
    }
  });

  it('has every service called at an address that is one', async () => {
    for (const name of serviceNames) {
      const { environment } = await configured(name);
      const called = Object.entries(environment).filter(([setting]) =>
        /^(GATEWAY|REFRESH_COLLECTOR|BILLING_LEDGER|REVISION_STORE|EVENT_STREAM)_URL$/.test(
          setting,
        ),
      );
      for (const [setting, address] of called) {
        const { hostname, port } = new URL(address);
        const service = find(resources, 'Service', hostname);
        const target = setting.replace('_URL', '').toLowerCase().replace('_', '-');
        expect(service.spec.selector['app.kubernetes.io/name']).toBe(target);
        expect(service.spec.ports).toContainEqual({
          name: 'http',
          port: Number(port),
          targetPort: 'http',
        });
      }
    }
  });

  it('shows the world the public port and never the private one', () => {
    const { ports, type } = find(resources, 'Service', 'gateway').spec;
    expect(ports).toEqual([{ name: 'public', port: 8080, targetPort: 'public' }]);
    expect(type).toBeUndefined();
    for (const name of ['gateway-private', 'gateway-operator']) {
      expect(find(resources, 'Service', name).spec.type).toBeUndefined();
    }
    const outside = resources.filter(({ kind }) => ['Ingress', 'HTTPRoute'].includes(kind));
    for (const { spec } of outside)
      expect(JSON.stringify(spec)).not.toMatch(/private|operator|8081|8082/);
  });

  it('holds no secret but the made-up ones of the local overlay', () => {
    const kinds = resources
      .filter(({ kind }) => kind === 'Secret')
      .map(({ metadata }) => metadata.name);
    expect(kinds.length > 0).toBe(overlay === 'local');
    const maps = resources.filter(({ kind }) => kind === 'ConfigMap');
    const named = maps.flatMap(({ data = {} }) => Object.keys(data));
    expect(named.filter((name) => /TOKEN|SECRET|KEYS|MONGODB_URI|EGRESS/.test(name))).toEqual([]);
  });

  describe('lets through', () => {
    const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
    const ofPod = (name: string, side: 'ingress' | 'egress') =>
      policies.filter(({ spec }) => spec[side] && selects(spec.podSelector, name));
    const reachesWorld = ({ spec }: Resource) =>
      JSON.stringify(spec.egress ?? []).includes('0.0.0.0/0');

    it('nothing that is not named', () => {
      expect(find(resources, 'NetworkPolicy', 'default-deny').spec).toEqual({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
    });

    it('to public addresses from the collector, and from the event-stream for webhooks; to private addresses from none', () => {
      const outgoing = serviceNames.filter((name) => ofPod(name, 'egress').some(reachesWorld));
      expect(outgoing).toEqual(['refresh-collector', 'event-stream']);
      for (const { spec } of policies.filter(reachesWorld)) {
        for (const range of ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']) {
          expect(spec.egress[0].to[0].ipBlock.except).toContain(range);
        }
      }
    });

    it("from outside the gateway's public port alone, to the proxies in front of it", () => {
      const open = policies.filter(({ spec }) =>
        (spec.ingress ?? []).some(({ from }: { from?: unknown[] }) => from === undefined),
      );
      expect(open).toEqual([]);
      const inFront = policies.filter(({ metadata }) => metadata.name === 'public');
      // Of a local cluster the port is forwarded, which no policy concerns.
      expect(inFront).toHaveLength(overlay === 'production' ? 1 : 0);
      for (const { spec } of inFront) {
        expect(spec.podSelector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'gateway' });
        const [{ from, ports }] = spec.ingress;
        expect(ports).toEqual([{ protocol: 'TCP', port: 8080 }]);
        const [{ namespaceSelector }] = from;
        expect(namespaceSelector.matchLabels).toEqual({
          'kubernetes.io/metadata.name': 'proxies-example',
        });
      }
    });

    it('to the operator API pods of operators alone, and those to nothing else', () => {
      const reaching = policies.filter(({ spec }) =>
        JSON.stringify(spec.ingress ?? []).includes('8082'),
      );
      expect(reaching.map(({ metadata }) => metadata.name)).toEqual(['operators']);
      for (const { spec } of reaching) {
        expect(spec.podSelector.matchLabels).toEqual({ 'app.kubernetes.io/name': 'gateway' });
        expect(peersOf(spec.ingress[0].from)).toEqual(['operator']);
        expect(spec.ingress[0].ports).toEqual([{ protocol: 'TCP', port: 8082 }]);
      }
      const { egress } = find(resources, 'NetworkPolicy', 'from-operators').spec;
      expect(egress).toHaveLength(1);
      expect(peersOf(egress[0].to)).toEqual(['gateway']);
    });

    it('questions about names to the DNS of the cluster, of the node and of OpenShift', () => {
      const { egress } = find(resources, 'NetworkPolicy', 'names').spec;
      const text = JSON.stringify(egress);
      for (const peer of ['kube-dns', '169.254.20.10/32', 'openshift-dns']) {
        expect(text).toContain(peer);
      }
    });

    it('each call that a setting configures is allowed, on both sides, and no other', async () => {
      for (const callee of serviceNames) {
        const setting = `${callee.toUpperCase().replace('-', '_')}_URL`;
        const callers: ServiceName[] = [];
        for (const name of serviceNames) {
          const { environment } = await configured(name);
          if (setting in environment) callers.push(name);
        }
        const [incoming] = ofPod(callee, 'ingress').filter(
          ({ metadata }) => metadata.name === `to-${callee}`,
        );
        const { spec: allowed } = incoming ?? { spec: { ingress: [{ from: [] }] } };
        expect(peersOf(allowed.ingress[0].from)).toEqual(callers.toSorted());
        const sending = serviceNames.filter((name) =>
          ofPod(name, 'egress').some(
            ({ metadata, spec }) =>
              metadata.name === `from-${name}` && peersOf(spec.egress[0].to).includes(callee),
          ),
        );
        expect(sending).toEqual(callers);
      }
    });
  });
});

function selects(selector: { matchLabels?: Settings }, name: string): boolean {
  const labels: Settings = {
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/part-of': 'game-item-inventory',
  };
  if ('matchExpressions' in selector) return false;
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

function peersOf(peers: readonly { podSelector: { matchLabels: Settings } }[]): string[] {
  return peers
    .map(({ podSelector }) => podSelector.matchLabels['app.kubernetes.io/name'] ?? '')
    .toSorted();
}

describe('scaling in production', () => {
  const resources = readRendered('production');
  const partitions = Number(find(resources, 'ConfigMap', 'topics').data?.['TOPIC_PARTITIONS']);
  const metricNames = trackedFiles(/^services\/[^/]+\/src\/.*\.ts$/)
    .flatMap(({ text }) => [...text.matchAll(/'(inventory\.[a-z_.]+)'/g)])
    .map(([, name = '']) => name.replaceAll('.', '_'));

  it('leaves the number of replicas to the autoscaler or the operator', () => {
    for (const name of serviceNames) {
      expect(find(resources, 'Deployment', name).spec).not.toHaveProperty('replicas');
    }
  });

  it.each(['billing-ledger', 'revision-store', 'event-stream'])(
    'gives %s no more replicas than its topics have partitions',
    (name) => {
      const { minReplicas, maxReplicas } = find(resources, 'HorizontalPodAutoscaler', name).spec;
      expect(maxReplicas).toBe(partitions);
      expect(minReplicas).toBeGreaterThanOrEqual(2);
    },
  );

  it('scales collectors by the queue, one for as many refreshes as each scans at once, and never beyond the egress identities', () => {
    const { triggers, fallback } = find(resources, 'ScaledObject', 'refresh-collector').spec;
    const scans = find(resources, 'ConfigMap', 'refresh-collector').data?.['SCANS_MAX'];
    const [{ threshold, query }] = triggers.map(({ metadata }: { metadata: Settings }) => metadata);
    const live = '{service="refresh-collector"}';
    expect(threshold).toBe(scans);
    expect(query).toBe(
      `clamp_max(max(inventory_refresh_outstanding${live}), ${scans} * scalar(sum(max by (state) (inventory_identity_states${live}))))`,
    );
    for (const [metric] of query.matchAll(/inventory_\w+/g)) expect(metricNames).toContain(metric);
    expect(fallback.behavior).toBe('currentReplicasIfHigher');
  });

  it('scales gateways by CPU, and by streams only where an adapter offers that metric', () => {
    const { metrics } = find(resources, 'HorizontalPodAutoscaler', 'gateway').spec;
    expect(metrics.map(({ type }: { type: string }) => type)).toEqual(['Resource']);
    const [component] = trackedFiles(/components\/gateway-by-streams\/kustomization\.yaml$/);
    const [, metric = ''] = /metric: \{ name: (\w+) \}/.exec(component?.text ?? '') ?? [];
    expect(metricNames).toContain(metric);
    expect(Number(/averageValue: "(\d+)"/.exec(component?.text ?? '')?.[1])).toBeLessThan(12_000);
  });

  it('is reached through a Gateway, and trusts the proxies that the values name', () => {
    expect(resources.filter(({ kind }) => kind === 'HTTPRoute')).toHaveLength(1);
    expect(resources.filter(({ kind }) => kind === 'Ingress')).toEqual([]);
    const { data } = find(resources, 'ConfigMap', 'gateway');
    expect(data?.['TRUSTED_PROXIES']).toBe('192.0.2.0/28');
  });
});

test('plain HTTP is redirected by nothing in front, so no key is sent in the clear unnoticed', () => {
  const files = trackedFiles(/^deploy\/kubernetes\/components\/.*\.yaml$/);
  const redirects = files.flatMap(
    ({ text }) => text.match(/ssl-redirect: .*|RequestRedirect/g) ?? [],
  );

  expect(redirects).toEqual(['ssl-redirect: "false"']);
});
