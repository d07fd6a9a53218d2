import { isDeepStrictEqual } from 'node:util';
import { serviceNames } from '@inventory/contracts/topics';
import { trackedFiles } from '../tidy/tracked-files.ts';
import { type FakeCluster, openFakeCluster } from './support/fake-cluster.ts';
import { type Resource, readRendered } from './support/read-rendered.ts';

interface Step {
  readonly name: string;
  readonly run: (cluster: object, options: object) => Promise<readonly string[] | undefined>;
}
interface Call {
  readonly action: string;
  readonly operation: string;
  readonly input: object;
}
const { steps } = require('../../deploy/restore/steps.js') as { steps: readonly Step[] };
const { createCluster } = require('../../deploy/restore/cluster.js') as {
  createCluster: (options: object) => object;
};
const { repeatRevocations, repetitionsOf } = require('../../deploy/restore/revocations.js') as {
  repeatRevocations: (operator: object, lines: string[], range: object) => Promise<string[]>;
  repetitionsOf: (lines: readonly string[], range: object) => readonly Call[];
};
const { checkPods } = require('../../scripts/kubernetes/check-pods.js') as {
  checkPods: (resources: readonly Resource[]) => readonly string[];
};

const production = readRendered('production');
const backupAtMs = Date.parse('2026-11-21T03:00:00Z');

function open(more: object = {}): {
  fake: FakeCluster;
  printed: string[];
  runStep: (name: string) => Promise<unknown>;
} {
  const fake = openFakeCluster(production);
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const cluster = createCluster({ kubectl: fake.kubectl, operator: () => ({}), print });
  const options = {
    backupAtMs,
    auditLines: [],
    claim: 'backups',
    archive: 'of-the-21st.archive',
    ...more,
  };
  const runStep = async (name: string) =>
    await steps.find((step) => step.name === name)?.run(cluster, options);
  return { fake, printed, runStep };
}

test('a restore runs the program of each step as the service runs, and verifies before a gateway exists', async () => {
  const { fake, runStep } = open();

  for (const { name } of steps) await runStep(name);

  const commands = fake.jobs.map(({ job }) => {
    const [{ command }] = job.spec.template.spec.containers;
    return [job.metadata.name, command.slice(2).join(' ')];
  });
  expect(commands).toEqual([
    ...serviceNames.map((name) => [
      `restore-drop-${name}`,
      `--drop-database inventory_${name.replaceAll('-', '_')}`,
    ]),
    ['restore-load', expect.stringContaining('mongorestore')],
    ['restore-rewind-billing-ledger', '--rewind-consumers-to 2026-11-21T02:55:00.000Z'],
    ['restore-rewind-event-stream', '--rewind-consumers-to 2026-11-21T02:55:00.000Z'],
    ['restore-await-billing-ledger', '--await-consumers'],
    ['restore-verify-billing-ledger', '--verify'],
    ['restore-await-event-stream', '--await-consumers'],
  ]);
  const running = ({ replicas }: FakeCluster['jobs'][number]) =>
    Object.keys(replicas).filter((name) => replicas[name] !== 0);
  expect(fake.jobs.map(running)).toEqual([
    ...Array.from({ length: 8 }, () => []),
    ['billing-ledger'],
    ['billing-ledger'],
    ['billing-ledger', 'event-stream'],
  ]);
});

test('each Job has the image, settings, secrets and files of its service, and the network that they need', async () => {
  const { fake, runStep } = open();
  for (const { name } of steps) await runStep(name);

  const made = fake.jobs.map(({ job }) => job);
  expect(checkPods([...production, ...made])).toEqual([]);
  for (const job of made.filter(({ metadata }) => metadata.name !== 'restore-load')) {
    const { containers, volumes } = job.spec.template.spec;
    const service = serviceNames.find((name) => job.metadata.name.endsWith(`-${name}`)) ?? '';
    const { spec } = fake.get('Deployment', service).spec.template;
    const { image, env, envFrom, volumeMounts, securityContext } = spec.containers[0];
    const raised = { name: 'LOG_EPOCH', value: '2' };
    const own = env.filter((one: object) => !isDeepStrictEqual(one, raised));
    expect(containers[0]).toMatchObject({
      image,
      env: job.metadata.name === 'restore-await-event-stream' ? env : own,
      envFrom,
      volumeMounts,
      securityContext,
    });
    expect(volumes).toEqual(spec.volumes);
  }
});

test('of one database alone nothing else is dropped or rewound', async () => {
  const { fake, runStep } = open({ only: 'billing-ledger' });

  await runStep('drop');
  await runStep('rewind');

  expect(fake.jobs.map(({ job }) => job.metadata.name)).toEqual([
    'restore-drop-billing-ledger',
    'restore-rewind-billing-ledger',
  ]);
});

test('nothing scales, runs or is reached from outside until the last step, and then all of it is as it was', async () => {
  const { fake, printed, runStep } = open();
  const state = () =>
    structuredClone({
      isSuspended: fake.get('CronJob', 'ledger-verify').spec.suspend ?? false,
      paused: fake.get('ScaledObject', 'refresh-collector').metadata.annotations ?? {},
      reached: fake.get('Service', 'gateway').spec.selector,
      operators: fake.get('Service', 'gateway-operator').spec.selector,
    });
  const before = state();

  await runStep('close');
  const closed = state();
  for (const { name } of steps.slice(1, -1)) await runStep(name);
  const started = state();
  await runStep('open');

  const ofKeda = { 'autoscaling.keda.sh/paused-replicas': '0' };
  expect(closed).toMatchObject({ isSuspended: true, paused: ofKeda });
  expect(Object.keys(closed.reached)).toHaveLength(2);
  expect(started).toEqual({ ...closed, paused: {} });
  expect(state()).toEqual({ ...before, paused: {} });
  expect(printed.join('')).toContain('LOG_EPOCH is 2');
});

test('a service that runs is not scaled down by the step that starts it', async () => {
  const { fake, runStep } = open();
  for (const { name } of steps.slice(0, 5)) await runStep(name);
  fake.get('Deployment', 'gateway').spec.replicas = 6;

  await runStep('start');

  const replicas = ['gateway', 'refresh-collector'].map(
    (name) => fake.get('Deployment', name).spec.replicas,
  );
  expect(replicas).toEqual([6, 1]);
});

test('a step whose Job fails prints its log and ends, and the next command repeats it', async () => {
  const { fake, printed, runStep } = open();
  fake.failing.add('restore-verify-billing-ledger');

  await expect(runStep('verify')).rejects.toThrow('restore-verify-billing-ledger failed');
  expect(printed).toContain('log of job/restore-verify-billing-ledger\n');

  fake.failing.clear();
  await runStep('verify');
});

const lineAt = (atMs: number, audit: object) =>
  JSON.stringify({ level: 30, time: atMs, service: 'gateway', audit, msg: 'audit' });
const done = { operator: 'alice', outcome: 'done' };

test.each([
  [
    'credential.revoke',
    { credential_id: 'cred_1', account_id: 'acc_1' },
    'revokeCredential',
    { credential_id: 'cred_1' },
  ],
  [
    'credential.change',
    { credential_id: 'cred_1', scopes: ['*'], network_policy: null, expires_at: backupAtMs },
    'changeCredential',
    {
      credential_id: 'cred_1',
      scopes: ['*'],
      network_policy: null,
      expires_at: '2026-11-21T03:00:00.000Z',
    },
  ],
  [
    'credential.rotate',
    { credential_id: 'cred_1', overlap_seconds: 60 },
    'revokeCredential',
    { credential_id: 'cred_1' },
  ],
  [
    'credential.rotate',
    { credential_id: 'cred_1', overlap_seconds: 7_200 },
    'changeCredential',
    { credential_id: 'cred_1', expires_at: '2026-11-21T05:00:00.000Z' },
  ],
  [
    'account.change',
    { account_id: 'acc_1', state: 'suspended' },
    'changeAccount',
    { account_id: 'acc_1', state: 'suspended' },
  ],
  [
    'project.change',
    { project_id: 'prj_1', account_id: 'acc_1', network_policy: ['10.0.0.0/8'] },
    'changeProject',
    { project_id: 'prj_1', network_policy: ['10.0.0.0/8'] },
  ],
  [
    'inventory.erase',
    { platform_id: '1', app_id: 2, context_id: 3 },
    'eraseInventory',
    { platform_id: '1', app_id: 2, context_id: 3 },
  ],
])('%s of after the backup is repeated', (action, fields, operation, input) => {
  const lines = ['not JSON', '{"audit":', '', lineAt(backupAtMs, { ...done, action, ...fields })];
  const range = { fromMs: backupAtMs, nowMs: backupAtMs + 3_600_000 };

  expect(repetitionsOf(lines, range)).toEqual([{ action, operation, input }]);
});

test('what Kafka brings back, what failed, and what the backup has is not repeated; the rest is, in its order', () => {
  const revoked = (id: string, atMs: number, more = {}) =>
    lineAt(atMs, { ...done, action: 'credential.revoke', credential_id: id, ...more });
  const lines = [
    revoked('cred_3', backupAtMs + 2),
    revoked('cred_2', backupAtMs + 1),
    revoked('cred_1', backupAtMs - 1),
    revoked('cred_4', backupAtMs + 3, { outcome: 'credential_not_found' }),
    lineAt(backupAtMs, { ...done, action: 'account.top-up', account_id: 'acc_1', amount: 5 }),
  ];

  const calls = repetitionsOf(lines, { fromMs: backupAtMs, nowMs: backupAtMs });

  expect(calls.map(({ input }) => input)).toEqual([
    { credential_id: 'cred_2' },
    { credential_id: 'cred_3' },
  ]);
});

test('what the backup does not have is named and passed over; another refusal ends the step', async () => {
  const lines = [lineAt(1, { ...done, action: 'credential.revoke', credential_id: 'cred_1' })];
  const refusing = (status: number) => ({
    call: () => Promise.reject(Object.assign(new Error('refused'), { status })),
  });

  const repeated = repeatRevocations(refusing(404), lines, { fromMs: 0 });

  expect(await repeated).toEqual(['credential.revoke cred_1: not in the backup']);
  await expect(repeatRevocations(refusing(503), lines, { fromMs: 0 })).rejects.toThrow('refused');
});

test('docs/operators/backup-and-restore.md has every step, in its order', () => {
  const [page] = trackedFiles(/^docs\/operators\/backup-and-restore\.md$/);
  const written = [...(page?.text ?? '').matchAll(/^node deploy\/restore\/restore\.js (\w+)/gm)];

  expect(written.map(([, name]) => name)).toEqual(steps.map(({ name }) => name));
});
