import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { type HttpServer, startHttpServer } from '@inventory/http/http-server';
import { newAccountId, newCredentialId, newProjectId, newScope } from '@inventory/testkit/builders';
import type { Envelope } from '../../test/support/api-call.ts';
import { mayAll, rightCall } from '../../test/support/operation-calls.ts';
import { newFrame } from '../../test/support/public-frame.ts';
import { publicRoutes } from '../public-routes.ts';
import type { Principal } from '../tenancy/principal.domain.ts';
import { defaultServiceAccountId } from '../tenancy/tenancy.domain.ts';
import { createPublicApp } from './app.ts';
import type { PublicFrame } from './public-frame.ts';
import type { AdmittedRequest, PublicResponse } from './public-response.ts';
import type { PublicEndpoint } from './public-route.ts';

const accountId = newAccountId();
const principal: Principal = {
  environment: 'live',
  accountId,
  projectId: newProjectId(),
  serviceAccountId: defaultServiceAccountId(accountId),
  credentialId: newCredentialId(),
  permissions: [],
  expiresAtMs: null,
  networkPolicies: [],
  eventsEnabled: true,
  captureEnabled: true,
  requestsPerMinute: 1_000,
  trafficLimitPerMinute: null,
  hasServiceAccounts: false,
  ...mayAll,
};

/** As the store has it, and how often that was read. The cache has it as it was. */
let stored: Principal | null;
let reads: number;
/** Operations that ran, and for which Principal. */
let ran: [operationId: string, as: Principal][];
/** Called when a request has passed every check before its body. */
let onAdmitted: () => void;
let server: HttpServer;

beforeAll(async () => {
  // One Principal calls those of every environment.
  const routes = publicRoutes.map(({ environment: _, ...endpoint }) => ({
    ...endpoint,
    async run(_raw: unknown, admitted: AdmittedRequest): Promise<PublicResponse> {
      if (endpoint.isOpen !== true) ran.push([endpoint.operationId, admitted.principal]);
      return { status: 200, body: Buffer.from('{}') };
    },
  }));
  const frame = newFrame();
  const principals: PublicFrame['principals'] = {
    ...frame.principals,
    findPrincipal: async () => principal,
    async readPrincipal() {
      reads += 1;
      return stored;
    },
  };
  const limiter: PublicFrame['limiter'] = {
    ...frame.limiter,
    async takeRequests(...requested) {
      onAdmitted();
      return frame.limiter.takeRequests(...requested);
    },
  };
  const listener = createPublicApp(newFrame({ principals, limiter }), routes, {});
  server = await startHttpServer({ listener, host: '127.0.0.1', port: 0 });
});
beforeEach(() => {
  stored = principal;
  reads = 0;
  ran = [];
  onAdmitted = () => undefined;
});
afterAll(() => server.close(100));

/** The right request of an operation; its body is completed when `beforeEnd` resolves. */
async function call(operationId: string, beforeEnd: () => Promise<void> = async () => undefined) {
  const { method = 'GET', path, headers, body } = rightCall(operationId, newScope(), principal);
  const text = body === undefined ? '' : JSON.stringify(body);
  const sent = request(new URL(path, server.url), {
    method,
    agent: false,
    headers: {
      ...headers,
      'x-api-key': 'key',
      ...(text && { 'content-type': 'application/json', 'content-length': text.length }),
    },
  });
  const responded = new Promise<{ readonly status: number | undefined; readonly code: string }>(
    (resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', async (response) => {
        const { error } = (await json(response)) as Partial<Envelope>;
        resolve({ status: response.statusCode, code: error?.code });
      });
    },
  );
  sent.write(text.slice(0, 1));
  await beforeEnd();
  sent.end(text.slice(1));
  return await responded;
}

const idOf = ({ operationId }: PublicEndpoint) => operationId;
const isAgain = ({ input, isLong = false }: PublicEndpoint) => input.body !== undefined || isLong;
const authorizedAgain = publicRoutes.filter(isAgain);
const others = publicRoutes.filter((endpoint) => !isAgain(endpoint));

test('what mints a secret, spends on more than a page, or responds with a text of its own is authorized again (Tenancy) [credential-state]', () => {
  const mints = ({ response }: PublicEndpoint) =>
    JSON.stringify(response.example).includes('"secret"');
  const spends = ({ product, method }: PublicEndpoint) => product !== undefined && method !== 'GET';
  const streams = ({ response }: PublicEndpoint) => 'text' in response.body;
  const must = publicRoutes.filter((one) => mints(one) || spends(one) || streams(one)).map(idOf);

  expect(must).toEqual(
    expect.arrayContaining(['issueCredential', 'rotateWebhookSecret', 'exportCurrent']),
  );
  expect(authorizedAgain.map(idOf)).toEqual(expect.arrayContaining(must));
});

const ends = [
  ['has ended', null, 401, 'invalid_api_key'],
  ['has lost its permission', { ...principal, permissions: [] }, 403, 'permission_denied'],
  [
    'may be used from elsewhere only',
    { ...principal, networkPolicies: [['198.51.100.0/24']] },
    403,
    'permission_denied',
  ],
] as const;

describe.each(authorizedAgain.map((endpoint) => [idOf(endpoint), endpoint] as const))(
  '%s',
  (operationId, { permission }) => {
    test.each(permission === undefined ? ends.slice(0, 1) : ends)(
      'does nothing for a key that %s while its body arrives, known to the store alone (Tenancy) [credential-state]',
      async (_how, ended, status, code) => {
        const admitted = Promise.withResolvers<void>();
        onAdmitted = admitted.resolve;

        const response = await call(operationId, async () => {
          await admitted.promise;
          stored = ended;
        });

        expect([response, ran]).toEqual([{ status, code }, []]);
      },
    );

    test('runs for its Principal as it is stored', async () => {
      stored = { ...principal, captureEnabled: false };

      expect(await call(operationId)).toEqual({ status: 200, code: undefined });
      expect(ran).toEqual([[operationId, stored]]);
    });
  },
);

test('any other operation, a page read among them, costs no read of its Principal beside the cache', async () => {
  stored = null;
  for (const { operationId } of others) {
    expect(await call(operationId)).toEqual({ status: 200, code: undefined });
  }

  expect(reads).toBe(0);
  expect(others.map(idOf)).toEqual(expect.arrayContaining(['readCurrent', 'readLivePage']));
});
