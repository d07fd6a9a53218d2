import type { ManagedProcess } from '@inventory/backends/managed-process';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { untilCompleted } from './support/follow-refresh.ts';
import type { Customer } from './support/operator.ts';
import { type OtlpReceiver, startOtlpReceiver } from './support/otlp-receiver.ts';
import { readLogs } from './support/read-logs.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** From the kill to the first refresh that needs the service, the second before its start included. */
const readyMs = 5_000;
let receiver: OtlpReceiver;
let stack: TestStack;
let customer: Customer;
let serial = 1;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  stack = await openTestStack({
    ownBackends: true,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  customer = await stack.operator.newCustomer();
  await refresh();
});
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
});

async function refresh(): Promise<void> {
  serial += 1;
  const id = await customer.api.accepted(sizeScope(3_000, serial));
  await untilCompleted(customer.api, customer.projectId, [id]);
}

test('what a service writes, to standard error too, is JSON, with traces exported', async () => {
  await waitFor('every service has exported its spans', () =>
    serviceNames.every((name) => receiver.spans.some(({ service }) => service === name)),
  );
  const lines = readLogs(stack).split('\n');

  expect(lines.length).toBeGreaterThan(serviceNames.length);
  expect(lines.filter((line) => line !== '' && !isJson(line))).toEqual([]);
});

test.each<ServiceName>(serviceNames)(
  '%s is ready again within 5 s of a kill -9, and does its work',
  async (name) => {
    await expectReadyAgain(stack.service(name));
    await refresh();
  },
);

test('the local broker is ready again within 5 s of a kill -9, and refreshes are completed', async () => {
  await expectReadyAgain(stack.kafka);
  await refresh();
});

async function expectReadyAgain(killed: ManagedProcess | null): Promise<void> {
  const readyAgain = killed?.kill('SIGKILL').then(() => killed.untilReady());

  let isReady = false;
  void readyAgain?.then(() => {
    isReady = true;
  });
  await waitFor('it is ready again', () => isReady, { withinMs: readyMs });
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
