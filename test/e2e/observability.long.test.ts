import { join } from 'node:path';
import { waitFor } from '@inventory/testkit/wait-for';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { dashboardQueries } from '../deploy/support/dashboard-queries.ts';
import { rareMetrics } from '../deploy/support/rare-series.ts';
import { providePrometheus } from '../support/provide-prometheus.ts';
import { root } from '../tidy/tracked-files.ts';
import { type EverydayTraffic, startEverydayTraffic } from './support/everyday-traffic.ts';
import { type PrometheusServer, startPrometheus } from './support/prometheus-server.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const rules = join(root, 'deploy/compose/rules/game-item-inventory.yaml');
const programs = providePrometheus();
/** Reported as skipped where Prometheus is not to be had; the reason is printed. */
const onPrometheus = programs ? test : test.skip;

let stack: TestStack;
let prometheus: PrometheusServer;
let traffic: EverydayTraffic;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  if (!programs) return;
  receiver = await startReceiver();
  receiver.respondWith(({ path }) => ({ status: path === '/gone' ? 410 : 204 }));
  // Streams that end within the test.
  stack = await openTestStack({ serviceEnvironment: { gateway: { STREAM_LIFE_MAX_MS: '4000' } } });
  prometheus = await startPrometheus(programs, stack, [rules]);
  traffic = await startEverydayTraffic(stack, receiver.url);
});
afterAll(async () => {
  await traffic?.stop();
  await prometheus?.close();
  await stack?.close();
  await receiver?.close();
});

onPrometheus('every query of every dashboard has an answer while the product is used', async () => {
  const waiting = new Map(
    dashboardQueries('20s').map(({ source, expr }) => [`${source}: ${expr}`, expr]),
  );
  const isRare = (expr: string) => rareMetrics.some((metric) => expr.includes(metric));

  await waitFor(
    'every figure is shown',
    async () => {
      await traffic.round();
      for (const [source, expr] of waiting) {
        const samples = await prometheus.query(expr);
        if (samples.some(({ value }) => Number.isFinite(value))) waiting.delete(source);
      }
      const missing = [...waiting].filter(([, expr]) => !isRare(expr)).map(([source]) => source);
      if (missing.length > 0) throw new Error(missing.join('\n'));
      return true;
    },
    { everyMs: 1_000 },
  );
});

onPrometheus(
  'Prometheus evaluates every rule, and no alert fires while the product works',
  async () => {
    const { groups } = await prometheus.get('rules');
    const evaluated = groups.flatMap(({ rules: inGroup }: { rules: object[] }) => inGroup);

    expect(evaluated.length).toBeGreaterThan(30);
    for (const rule of evaluated) expect(rule).toMatchObject({ health: 'ok' });
    expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([]);
  },
);

onPrometheus('a service that is gone is named within seconds, with its runbook', async () => {
  await stack.service('revision-store').stop('SIGKILL');

  const alert = await waitFor('the alert is on its way', async () => {
    const { alerts } = await prometheus.get('alerts');
    return alerts.find(
      ({ labels }: { labels: Record<string, string> }) =>
        labels['alertname'] === 'ServiceDown' && labels['service'] === 'revision-store',
    );
  });
  expect(alert).toMatchObject({
    state: 'pending',
    labels: { severity: 'page' },
    annotations: {
      description: 'revision-store is gone.',
      runbook_url: expect.stringMatching(/^https:\/\/.*\/service-down\.md$/),
    },
  });
});
