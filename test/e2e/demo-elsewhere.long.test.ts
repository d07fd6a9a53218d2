import { machineEnvironment, runCommand } from '../support/start-command.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await openTestStack();
});
afterAll(() => stack?.close());

test('npm start -- --demo-only shows a refresh on a product that it did not start', async () => {
  const command = runCommand(['start', '--demo-only'], {
    ...machineEnvironment(),
    GATEWAY_URL: stack.gatewayUrl,
    OPERATOR_URL: stack.operatorUrl,
    OPERATOR_TOKEN: stack.operatorToken,
    SIMULATOR_URL: stack.simulatorUrl ?? '',
    LOCAL_STACK_DIR: `${stack.folder}/elsewhere`,
  });
  expect({ code: await command.ended, output: command.output() }).toEqual({
    code: 0,
    output: expect.stringMatching(
      /202 {2}(accepted|queued).*refresh\.completed.*Bill {6}125 reserved.*API key/s,
    ),
  });
});

test('npm start -- --demo-only names the missing settings', async () => {
  const command = runCommand(['start', '--demo-only'], {
    ...machineEnvironment(),
    GATEWAY_URL: '',
  });
  expect(await command.ended).toBe(1);
  expect(command.output()).toMatch(/GATEWAY_URL is required.*OPERATOR_TOKEN is required/s);
});
