import { openChance } from '../support/random-seed.ts';
import { fuzz, provideSchemathesis } from './support/schemathesis.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

const credits = 1_000_000_000;
const scopes = [
  '*',
  'customer.events.read.v1',
  'customer.webhooks.manage.v1',
  'customer.account.read.v1',
  'customer.account.manage.v1',
  'customer.credentials.manage.v1',
];
/** A busy machine is no finding. */
const farOutMs = '600000';
const testTimeoutMs = 40 * 60_000;
const { seed } = openChance();
let stack: TestStack;

beforeAll(async () => {
  process.stderr.write(`fuzzing: TEST_SEED=${seed}\n`);
  stack = await openTestStack({
    serviceEnvironment: {
      gateway: {
        STREAMS_PER_PROJECT_MAX: '1000',
        DECISION_TIMEOUT_MS: farOutMs,
        CHARGE_TIMEOUT_MS: farOutMs,
        PAGE_DELIVERY_DEADLINE_MS: farOutMs,
        COLLECTOR_TIMEOUT_MS: farOutMs,
        REVISION_STORE_TIMEOUT_MS: farOutMs,
      },
      'event-stream': { WEBHOOK_ALLOW_PRIVATE: 'false' },
    },
  });
});
afterAll(() => stack?.close());

test(
  'the API accepts what its document allows and refuses what it forbids, and every answer is a documented one (OpenAPI)',
  async () => {
    const pythonPath = await provideSchemathesis();
    if (pythonPath === null) return;
    const { accountId, projectId } = await stack.operator.newCustomer({ credits });
    await stack.operator.switchEvents(accountId, true);
    const { secret } = await stack.operator.newCredential(projectId, { scopes });

    const { passed, report } = await fuzz(pythonPath, {
      apiUrl: stack.gatewayUrl,
      secret,
      projectId,
      scopes: [sizeScope(10, 0), sizeScope(4_001, 1)],
      seed: seed % 2 ** 31,
    });
    process.stderr.write(report.slice(report.lastIndexOf('= SUMMARY =')));

    if (!passed) throw new Error(report);
  },
  testTimeoutMs,
);
