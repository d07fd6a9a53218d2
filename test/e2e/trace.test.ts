import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames, topicNames, topics } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { machineEnvironment } from '../support/start-command.ts';
import { drawTrace } from './support/draw-trace.ts';
import { readSeries, undescribed } from './support/exposed-metrics.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from './support/otlp-receiver.ts';
import { readLogs } from './support/read-logs.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const root = join(__dirname, '../..');
let receiver: OtlpReceiver;
let stack: TestStack;
let customer: Customer;
const key = `key-${randomUUID()}`;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  stack = await openTestStack({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      LOG_LEVEL: 'debug',
    },
    simulator: { SIMULATOR_LATENCY_MS: '300' },
    serviceEnvironment: {
      'refresh-collector': { SCAN_LEASE_MS: '3000', PLATFORM_TIMEOUT_MS: '5000' },
    },
  });
  customer = await stack.operator.newCustomer();
}, 120_000);
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
}, 60_000);

/** The trace that the command of a refresh was sent under. */
function traceIdOf(refreshId: string): string {
  const sent = receiver.spans.find(
    ({ attributes }) => attributes['messaging.message.id'] === `request:${refreshId}`,
  );
  if (!sent) throw new Error(`nobody sent the request of ${refreshId}`);
  return sent.traceId;
}

/** The spans of a refresh, once its last message was processed and every service has reported. */
async function finishedTrace(refreshId: string): Promise<ReceivedSpan[]> {
  return waitFor('the end of the trace is reported by all', () => {
    const spans = receiver.ofTrace(traceIdOf(refreshId));
    const services = new Set(spans.map(({ service }) => service));
    const isEnded = spans.some(({ name }) => name === 'process project.events.v1');
    return isEnded && services.size === serviceNames.length && spans;
  });
}

function orphansOf(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  return spans.filter(({ parentSpanId }) => parentSpanId !== null && !known.has(parentSpanId));
}

async function refreshed(serial: number, idempotencyKey?: string): Promise<string> {
  const scope = sizeScope(4_500, serial);
  const id = await customer.api.accepted(scope, idempotencyKey ? { key: idempotencyKey } : {});
  await untilCompleted(customer.api, customer.projectId, [id], 90_000);
  return id;
}

const refreshTemplate = '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh';

/** Every topic a completed refresh goes through, in the order of its way. */
const topicsOnTheWay = [
  'refresh.commands.v1',
  'billing.commands.v1',
  'billing.outcomes.v1',
  'revision.commands.v1',
  'revision.outcomes.v1',
  'refresh.outcomes.v1',
  'project.events.v1',
];

test('a refresh is one trace from the POST through all five services to its outcome, every parent present', async () => {
  const id = await refreshed(1, key);

  const spans = await waitFor('every parent is reported', async () => {
    const reported = await finishedTrace(id);
    const orphans = orphansOf(reported);
    if (orphans.length > 0) throw new Error(JSON.stringify(orphans.slice(0, 3)));
    return reported;
  });
  const names = new Set(spans.map(({ name }) => name));
  const file = machineEnvironment()['TRACE_FILE'];
  if (file) writeFileSync(file, drawTrace(spans));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null);

  expect(new Set(spans.map(({ service }) => service))).toEqual(new Set(serviceNames));
  expect(roots).toMatchObject([
    { service: 'gateway', kind: 'server', name: `POST ${refreshTemplate}` },
  ]);
  expect([...names]).toContain('PUT /scans/{scan_id}/epochs/{epoch}/pages/{page}/chunks/{chunk}');
  for (const topic of topicsOnTheWay) {
    expect([...names]).toContain(`send ${topic}`);
    expect([...names]).toContain(`process ${topic}`);
  }
  const servicesWith = (match: (span: ReceivedSpan) => boolean) =>
    new Set(spans.filter(match).map(({ service }) => service));
  const servers = servicesWith(({ kind }) => kind === 'server');
  expect([...servers]).toEqual(expect.arrayContaining(['gateway', 'revision-store']));
  const isMongo = ({ attributes }: ReceivedSpan) =>
    attributes['db.system'] === 'mongodb' || attributes['db.system.name'] === 'mongodb';
  expect(servicesWith(isMongo)).toEqual(new Set(serviceNames));
}, 60_000);

/** Kills the collector and the ledger when this refresh has pages, and that one was just reserved. */
async function killInTheMiddle(scanned: string): Promise<string> {
  const refreshes = (await stack.recordsOf('refresh-collector')).collection('refreshes');
  const commits = (await stack.recordsOf('billing-ledger')).collection('commits');
  await waitFor('some pages of the scan are staged', async () => {
    const found = await refreshes.findOne({ _id: scanned } as object);
    return (found?.['scan']?.pages ?? 0) >= 2;
  });
  const before = await commits.countDocuments();
  const posted = customer.api.accepted(sizeScope(100, 3), { key: randomUUID() }).catch(() => '');
  // Its offset is committed half a second later at the earliest: it will be delivered again.
  await waitFor(
    'the reservation is journaled',
    async () => (await commits.countDocuments()) > before,
    {
      everyMs: 1,
    },
  );
  await stack.service('billing-ledger').kill('SIGKILL');
  await stack.service('refresh-collector').kill('SIGKILL');
  await posted;
  const found = await refreshes.find().sort({ requestedAt: -1 }).limit(1).next();
  return String(found?._id);
}

const killed: readonly string[] = ['refresh-collector', 'billing-ledger'];

/**
 * What the killed processes had not reported yet is lost with them: spans that had begun, and the
 * sending of messages that others read later.
 */
function diedWithItsParent({ kind, attributes, startMs }: ReceivedSpan, killedMs: number): boolean {
  const topic = topicNames.find((name) => name === attributes['messaging.destination.name']);
  const senders: readonly string[] = topic === undefined ? [] : topics[topic].producers;
  const isFromKilled = kind === 'consumer' && senders.some((name) => killed.includes(name));
  return startMs <= killedMs || isFromKilled;
}

test('a trace goes on with the worker that takes a scan over, and with a message that comes again', async () => {
  const scanned = await customer.api.accepted(sizeScope(20_000, 2), { key: randomUUID() });
  const pids = new Map(stack.services.map(({ service, pid }) => [service, String(pid)]));
  const reserved = await killInTheMiddle(scanned);
  const killedMs = Date.now();
  await stack.service('refresh-collector').untilUp();
  await untilCompleted(customer.api, customer.projectId, [scanned, reserved], 90_000);

  const scan = await finishedTrace(scanned);
  const workers = new Set(scan.filter(({ name }) => name === 'scan page').map(({ pid }) => pid));
  expect(workers.size).toBe(2);
  const again = (await finishedTrace(reserved)).filter(
    ({ attributes, name, pid }) =>
      name === 'process billing.commands.v1' &&
      attributes['messaging.message.id'] === `reserve:${reserved}` &&
      pid !== pids.get('billing-ledger'),
  );
  expect(again.length).toBeGreaterThan(0);
  const rows = await stack.operator.statement(customer.accountId);
  const kinds = rows.filter((row) => row.refresh_id === reserved).map(({ kind }) => kind);
  expect(kinds).toEqual(['reserve', 'settle']);
  for (const id of [scanned, reserved]) {
    await waitFor('every parent is reported, but for what died', async () => {
      const lost = orphansOf(await finishedTrace(id));
      return lost.every((span) => diedWithItsParent(span, killedMs));
    });
  }
}, 180_000);

test('every answer names the span that it was made in (traceresponse)', async () => {
  const accepted = await customer.api.refresh(sizeScope(100, 4), { key: randomUUID() });
  const refused = await customer.api.call({ path: '/v2/nothing-here' });
  await untilCompleted(customer.api, customer.projectId, [accepted.json.data.refresh_id], 60_000);

  for (const { headers } of [accepted, refused]) {
    const [version, traceId, spanId, flags] = String(headers['traceresponse']).split('-');
    expect([version, flags]).toEqual(['00', '01']);
    const span = await waitFor('the span is reported', () =>
      receiver.spans.find((each) => each.traceId === traceId && each.spanId === spanId),
    );
    expect(span).toMatchObject({ service: 'gateway', kind: 'server', parentSpanId: null });
  }
  expect(String(accepted.headers['traceresponse']).split('-')[1]).toBe(
    traceIdOf(accepted.json.data.refresh_id),
  );
}, 90_000);

test('tracing adds no metric with a host or an id in its labels', async () => {
  for (const service of stack.services) {
    expect([service.label, undescribed(await readSeries(service))]).toEqual([service.label, []]);
  }
});

test('no span holds a secret', () => {
  const sent = receiver.payloads.join('\n');

  expect(receiver.spans.length).toBeGreaterThan(100);
  for (const secret of [customer.secret, key, stack.operatorToken, ...stackSecrets()]) {
    expect(sent.includes(secret)).toBe(false);
  }
});

/** Whatever the stack's processes know and nobody else may. */
function stackSecrets(): string[] {
  const kept: unknown = JSON.parse(readFileSync(join(stack.folder, 'secrets.json'), 'utf8'));
  return Object.values(kept as object).map(String);
}

test('every log line about a refresh names its trace', () => {
  const lines = readLogs(stack)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => typeof line['refresh_id'] === 'string');

  expect(lines.length).toBeGreaterThan(10);
  const wrong = lines.filter((line) => line['trace_id'] !== traceIdOf(String(line['refresh_id'])));
  expect(wrong).toEqual([]);
});

test('without an exporter in the settings nothing is traced and nothing is sent', () => {
  const others = Object.entries(machineEnvironment()).filter(([name]) => !name.startsWith('OTEL_'));
  const program = `
    const { context, propagation, trace } = require('@opentelemetry/api');
    const span = trace.getTracer('test').startSpan('test');
    const carrier = {};
    propagation.inject(trace.setSpan(context.active(), span), carrier);
    process.stdout.write(JSON.stringify({ recording: span.isRecording(), carrier }));`;
  const run = (environment: Record<string, string>) => {
    const args = ['--require', join(root, 'libs/runtime/dist/telemetry.js'), '-e', program];
    const env = { ...Object.fromEntries(others), ...environment };
    return JSON.parse(execFileSync(process.execPath, args, { cwd: root, env }).toString());
  };

  expect(run({})).toEqual({ recording: false, carrier: {} });
  expect(run({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })).toMatchObject({
    recording: true,
    carrier: { traceparent: expect.any(String) },
  });
});
