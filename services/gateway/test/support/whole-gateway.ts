import { type Clock, systemClock } from '@inventory/runtime/clock';
import { startTestService } from '@inventory/testkit/test-service';
import { type StartedGateway, startGateway } from '../../src/start-gateway.ts';
import { callApi } from './api-call.ts';
import { type GatewayWorld, testGatewayConfig } from './test-gateway.ts';
import { testOperatorToken } from './test-operators.ts';

/** A gateway as its main starts it: with the operator API, and Credentials in its own store. */
export interface WholeGateway extends StartedGateway {
  stop(): Promise<void>;
}

export async function startWholeGateway(
  world: GatewayWorld,
  clock: Clock = systemClock,
  ports = { port: 0, publicPort: 0 },
): Promise<WholeGateway> {
  const given = testGatewayConfig(world);
  const config = {
    ...given,
    http: { ...given.http, port: ports.port },
    publicHttp: { ...given.publicHttp, port: ports.publicPort },
  };
  const gateway = await startTestService({ config, clock, start: startGateway });
  world.defer(gateway.stop);
  return gateway;
}

export async function operate(
  { operatorUrl }: WholeGateway,
  path: string,
  body = {},
  method = 'POST',
) {
  const response = await callApi(operatorUrl, {
    method,
    path: `/operator/v1${path}`,
    headers: { authorization: `Bearer ${testOperatorToken}` },
    body,
  });
  expect(response.status).toBeLessThan(300);
  return JSON.parse(response.text);
}

export async function issueCredential(at: WholeGateway) {
  const { account_id } = await operate(at, '/accounts', { name: 'Trader' });
  const { project_id } = await operate(at, `/accounts/${account_id}/projects`);
  const given = { scopes: ['*'] };
  const { credential_id, secret } = await operate(at, `/projects/${project_id}/credentials`, given);
  return { key: secret as string, accountId: account_id, credentialId: credential_id as string };
}
