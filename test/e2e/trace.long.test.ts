import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames, topicNames, topics } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { machineEnvironment } from '../support/start-command.ts';
import { readSeries, undescribed } from './support/exposed-metrics.ts';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from './support/otlp-receiver.ts';
import { inventoryPath } from './support/public-api.ts';
import { readLogs } from './support/read-logs.ts';
import { openRoute, type Route } from './support/ready-router.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const root = join(__dirname, '../..');
let receiver: OtlpReceiver;
let stack: TestStack;
let customer: Customer;
/** Everything that the collector sent to the platform. */
let sentToPlatform: Buffer[];
let platform: Route;
const key = `key-${randomUUID()}`;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  sentToPlatform = [];
  const simulatorPort = () => (stack ? Number(new URL(stack.simulatorUrl ?? '').port) : null);
  platform = await openRoute(simulatorPort, (part) => sentToPlatform.push(part));
  const identities = Array.from({ length: 8 }, (_none, index) => `egress-${index + 1}`);
  stack = await openTestStack({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      LOG_LEVEL: 'debug',
    },
    simulator: { SIMULATOR_LATENCY_MS: '300' },
    serviceEnvironment: {
      'refresh-collector': {
        SCAN_LEASE_MS: '3000',
        PLATFORM_TIMEOUT_MS: '5000',
        PLATFORM_EGRESS: identities
          .map((name) => `http://${name}:-@127.0.0.1:${platform.port}`)
          .join(','),
      },
    },
  });
  customer = await stack.operator.newCustomer();
});
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
  await platform?.close();
});

/** The trace that the command of a refresh was sent under. */
function traceIdOf(refreshId: string): string {
  const sent = receiver.spans.find(
    ({ attributes }) => attributes['messaging.message.id'] === `request:${refreshId}`,
  );
  if (!sent) throw new Error(`no request was sent for ${refreshId}`);
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
  await untilCompleted(customer.api, customer.projectId, [id]);
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
});

const refreshesStored = async () =>
  (await stack.recordsOf('refresh-collector')).collection('refreshes');

interface Kill {
  /** What was reserved a moment before. */
  readonly refreshId: string;
  readonly ledgerPid: string;
  readonly killedMs: number;
}

/** Kills the ledger when it has just reserved for a refresh, and the other processes named. */
async function killAtReserve(serial: number, ...others: ServiceName[]): Promise<Kill> {
  const ledger = stack.service('billing-ledger');
  const ledgerPid = String(ledger.pid);
  const commits = (await stack.recordsOf('billing-ledger')).collection('commits');
  const before = await commits.countDocuments();
  const scope = sizeScope(100, serial);
  const posted = customer.api.accepted(scope, { key: randomUUID() }).catch(() => '');
  const isJournaled = async () => (await commits.countDocuments()) > before;
  await waitFor('the reservation is journaled', isJournaled, { everyMs: 1 });
  await ledger.kill('SIGKILL');
  for (const name of others) await stack.service(name).kill('SIGKILL');
  const killedMs = Date.now();
  await posted;
  const newest = await (await refreshesStored()).find().sort({ requestedAt: -1 }).limit(1).next();
  return { refreshId: String(newest?._id), ledgerPid, killedMs };
}

/** The reservation once more, by the ledger that came after. */
async function reservedAgain({ refreshId, ledgerPid }: Kill): Promise<readonly ReceivedSpan[]> {
  return (await finishedTrace(refreshId)).filter(
    ({ attributes, name, pid }) =>
      name === 'process billing.commands.v1' &&
      attributes['messaging.message.id'] === `reserve:${refreshId}` &&
      pid !== ledgerPid,
  );
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

test('a trace continues with the worker that takes a scan over, and with a message that comes again', async () => {
  const { api, projectId } = customer;
  const scanned = await api.accepted(sizeScope(40_000, 2), { key: randomUUID() });
  await waitFor('some pages of the scan are staged', async () => {
    const found = await (await refreshesStored()).findOne({ _id: scanned } as object);
    return (found?.['scan']?.pages ?? 0) >= 2;
  });
  const inTheMiddle = await killAtReserve(300, 'refresh-collector');
  const kills = [inTheMiddle];
  await stack.service('refresh-collector').untilReady();
  await untilCompleted(api, projectId, [scanned, inTheMiddle.refreshId]);

  const scan = await finishedTrace(scanned);
  const workers = new Set(scan.filter(({ name }) => name === 'scan page').map(({ pid }) => pid));
  expect(workers.size).toBe(2);
  let last = inTheMiddle;
  // Offsets are committed every half second: where that was just before the kill, nothing came again.
  while ((await reservedAgain(last)).length === 0 && kills.length < 6) {
    await stack.service('billing-ledger').untilReady();
    last = await killAtReserve(300 + kills.length);
    kills.push(last);
    await untilCompleted(api, projectId, [last.refreshId]);
  }
  expect((await reservedAgain(last)).length).toBeGreaterThan(0);
  const rows = await stack.operator.statement(customer.accountId);
  const kinds = rows.filter((row) => row.refreshId === last.refreshId).map(({ kind }) => kind);
  expect(kinds).toEqual(['reserve', 'settle']);
  for (const { refreshId, killedMs } of [{ ...inTheMiddle, refreshId: scanned }, last]) {
    await waitFor('every parent is reported, but for what died', async () => {
      const lost = orphansOf(await finishedTrace(refreshId));
      return lost.every((span) => diedWithItsParent(span, killedMs));
    });
  }
});

test('every answer names the span that it was made in (traceresponse)', async () => {
  const accepted = await customer.api.refresh(sizeScope(100, 4), { key: randomUUID() });
  const refused = await customer.api.call({ path: '/v2/nothing-here' });
  await untilCompleted(customer.api, customer.projectId, [accepted.json.data.refresh_id]);

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
});

test('the trace of a caller is not adopted: a public request begins a trace, with a link to it', async () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const accepted = await customer.api.call({
    method: 'POST',
    path: `${inventoryPath(sizeScope(100, 5))}/refresh`,
    body: { max_credits: 125 },
    // Not sampled by the caller.
    headers: { traceparent: `00-${traceId}-${spanId}-00`, tracestate: 'spy=1', baggage: 'spy=1' },
  });
  const refreshId = accepted.json.data.refresh_id;
  await untilCompleted(customer.api, customer.projectId, [refreshId]);

  const spans = await finishedTrace(refreshId);

  const [first] = spans.filter(({ parentSpanId }) => parentSpanId === null);
  expect(first).toMatchObject({ service: 'gateway', kind: 'server', links: [{ traceId, spanId }] });
  expect(receiver.ofTrace(traceId)).toEqual([]);
  expect(receiver.payloads.join('').includes('spy')).toBe(false);
});

test('a request to the platform carries nothing of ours', () => {
  const sent = Buffer.concat(sentToPlatform).toString('latin1');

  expect(sent).toMatch(/^GET /m);
  expect(sent.match(/^(traceparent|tracestate|baggage):.*$/gim)).toBeNull();
});

test('everything that a service writes is JSON, also while it is traced', () => {
  const plain = readLogs(stack)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'));

  expect(plain).toEqual([]);
});

test('tracing adds no metric with a host or an id in its labels', async () => {
  for (const service of stack.services) {
    expect([service.name, undescribed(await readSeries(service))]).toEqual([service.name, []]);
  }
});

test('no span holds a secret', () => {
  const sent = receiver.payloads.join('\n');

  expect(receiver.spans.length).toBeGreaterThan(100);
  for (const secret of [customer.secret, key, stack.operatorToken, ...stackSecrets()]) {
    expect(sent.includes(secret)).toBe(false);
  }
});

/** The secrets of the stack's processes. */
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
    // Only what is sent to a service of ours carries the trace.
    carrier: {},
  });
});
