import type { Resource } from './read-rendered.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
type Json = any;

export interface FakeCluster {
  /** As kubectl is called: arguments, and what is written to it. */
  readonly kubectl: (args: readonly string[], input?: string) => string;
  get(kind: string, name: string): Json;
  /** What was applied, in its order, with the replicas of each Deployment at that moment. */
  readonly jobs: readonly {
    readonly job: Json;
    readonly replicas: Readonly<Record<string, number>>;
  }[];
  /** Names of Jobs that fail. */
  readonly failing: Set<string>;
}

const plurals: Readonly<Record<string, string>> = {
  cronjobs: 'CronJob',
  scaledobjects: 'ScaledObject',
  services: 'Service',
  deployments: 'Deployment',
  configmaps: 'ConfigMap',
};
const kinds = new Map([...Object.values(plurals), 'Job'].map((kind) => [kind.toLowerCase(), kind]));

/** A cluster that holds resources, does what is asked of them at once, and runs every Job to its end. */
export function openFakeCluster(rendered: readonly Resource[]): FakeCluster {
  const held = new Map<string, Json>();
  const jobs: FakeCluster['jobs'][number][] = [];
  const failing = new Set<string>();
  for (const one of structuredClone(rendered) as Json[]) {
    if (one.kind === 'Deployment') one.spec.replicas = 2;
    held.set(`${one.kind} ${one.metadata.name}`, one);
  }
  const get = (kind: string, name: string) => held.get(`${kind} ${name}`);
  const named = (path = '') => {
    const [kind = '', name = ''] = path.split('/');
    const found = get(kinds.get(kind) ?? '', name);
    if (!found) throw new Error(`${path} not found`);
    return found;
  };
  const ofKinds = (text: string) => {
    const wanted = text.split(',').map((one) => plurals[one]);
    return [...held.values()].filter(({ kind }) => wanted.includes(kind));
  };
  const replicasOf = () =>
    Object.fromEntries(
      ofKinds('deployments').map(({ metadata, spec }) => [metadata.name, spec.replicas]),
    );

  function apply(job: Json): string {
    jobs.push({ job, replicas: replicasOf() });
    const type = failing.has(job.metadata.name) ? 'Failed' : 'Complete';
    held.set(`Job ${job.metadata.name}`, { ...job, status: { conditions: [{ type }] } });
    return '';
  }

  const verbs: Readonly<Record<string, (args: readonly string[], input: string) => string>> = {
    get: ([what = '']) =>
      JSON.stringify(what.includes('/') ? named(what) : { items: ofKinds(what) }),
    patch([path, , text = '']) {
      mergeInto(named(path), JSON.parse(text));
      return '';
    },
    annotate([path, annotation = '']) {
      const [key = '', value] = annotation.replace(/-$/, '').split('=');
      mergeInto(named(path), { metadata: { annotations: { [key]: value ?? null } } });
      return '';
    },
    scale([path, count = '']) {
      named(path).spec.replicas = Number(count.split('=')[1]);
      return '';
    },
    set([, path, setting = '']) {
      const [name, value] = setting.split('=');
      named(path).spec.template.spec.containers[0].env.push({ name, value });
      return '';
    },
    apply: (_args, input) => apply(JSON.parse(input)),
    logs: ([path]) => `log of ${path}\n`,
    'api-resources': () => 'scaledobjects.keda.sh\n',
    delete: () => '',
    wait: () => '',
    rollout: () => '',
  };
  return {
    get,
    jobs,
    failing,
    kubectl([verb = '', ...args], input = '') {
      const run = verbs[verb];
      if (!run) throw new Error(`kubectl ${verb} is not known here`);
      return run(args, input);
    },
  };
}

/** As a strategic merge of objects does it: null removes. */
function mergeInto(target: Json, patch: Json): void {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete target[key];
    else if (typeof value === 'object') {
      target[key] ??= {};
      mergeInto(target[key], value);
    } else target[key] = value;
  }
}
