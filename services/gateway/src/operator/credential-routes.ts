import { credentialIdOf } from '@inventory/contracts/credential-secret';
import { environmentOf } from '@inventory/contracts/environment';
import {
  credentialRecord,
  credentialRotation,
  expiry,
  foundCredential,
  issuedCredential,
  scopes,
} from '@inventory/contracts/http/credentials';
import { projectPath } from '@inventory/contracts/http/parameters';
import { serviceAccountId } from '@inventory/contracts/ids';
import { strictWire } from '@inventory/contracts/wire';
import { Refused } from '@inventory/http/refused';
import { Reply } from '@inventory/http/reply';
import { z } from 'zod';
import {
  issueOnce,
  keyedCredential,
  rotateOnce,
  type ShownCredential,
} from '../secrets/keyed-credentials.ts';
import { replayHeaders, secretResponseHeaders } from '../secrets/promised-secrets.ts';
import { requireFuture } from '../tenancy/credentials.ts';
import { isSecretOf } from '../tenancy/tenancy.domain.ts';
import { credentialView, issuedView } from '../tenancy/tenancy-views.ts';
import { listById } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import {
  changeOf,
  credentialPath,
  emptyBody,
  keyedHeaders,
  listOf,
  listQuery,
  name,
  settableNetworkPolicy,
} from './operator-schemas.ts';

const tag = 'Credentials';
const errors = ['credential_not_found', 'credential_revoked'] as const;
const shownOnce =
  'The secret is shown in this response only; the same `idempotency-key` again returns it for a day.';

export const operatorCredentialRoutes = [
  operatorRoute({
    operationId: 'issueCredential',
    command: 'credential issue',
    tag,
    summary: 'Issue a Credential of a Project',
    description: shownOnce,
    method: 'POST',
    path: '/projects/{project_id}/credentials',
    role: 'support',
    action: 'credential.issue',
    status: 201,
    input: {
      path: projectPath,
      header: keyedHeaders,
      body: strictWire({
        name: name.nullable().default(null),
        serviceAccountId: serviceAccountId
          .optional()
          .describe('Of the same account; its default one when absent.'),
        scopes,
        expiresAtMs: expiry.default(null),
        networkPolicy: settableNetworkPolicy.default(null),
      }),
    },
    response: issuedCredential,
    documented: { headers: secretResponseHeaders },
    errors: ['project_not_found', 'service_account_not_found', 'idempotency_conflict'],
    async handle(services, { path: { projectId }, header, body }) {
      const { clock } = services;
      const scope = ['operator', 'credential.issue', projectId];
      const { accountId } = await services.tenancy.requireProject(projectId);
      const environment = environmentOf(accountId);
      const keyed = keyedCredential(header['idempotency-key'], scope, body, environment);
      const issued = await issueOnce(services, keyed, {
        async begin() {
          requireFuture(body.expiresAtMs, clock.now());
          return async () => ({ projectId, ...body });
        },
      });
      return shown(issued, clock.now());
    },
  }),
  operatorRoute({
    operationId: 'listCredentials',
    command: 'credential list',
    columns: ['credential_id', 'name', 'state', 'public_id', 'scopes', 'expires_at'],
    tag,
    summary: 'Credentials of a Project, oldest first',
    method: 'GET',
    path: '/projects/{project_id}/credentials',
    role: 'read',
    input: { path: projectPath, query: listQuery },
    response: listOf(credentialRecord),
    errors: ['project_not_found', 'invalid_cursor'],
    handle: (services, { path, query }) =>
      listById(services, query, {
        list: ['credentials', path.projectId],
        async read(part) {
          const { projectId } = await services.tenancy.requireProject(path.projectId);
          const found = await services.tenancy.listCredentials(projectId, part);
          return found.map((one) => credentialView(one, services.clock.now()));
        },
        idOf: (credential) => credential.credentialId,
      }),
  }),
  operatorRoute({
    operationId: 'findCredential',
    // The command line has one of its own: it hashes the secret.
    command: {},
    tag,
    summary: 'Find the Credential of a secret that has leaked',
    description:
      'A secret is `inv_<public id>_<entropy>_<checksum>`: send its public id and its SHA-256, never ' +
      'the secret itself.',
    method: 'POST',
    path: '/credentials/find',
    role: 'support',
    action: 'credential.find',
    input: {
      body: strictWire({
        publicId: z.string().regex(/^[0-9A-Za-z]{22}$/, 'must be a public id'),
        secretSha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex'),
      }),
    },
    response: foundCredential,
    errors: ['credential_not_found'],
    async handle({ tenancy, clock }, { body }) {
      const id = credentialIdOf(body.publicId);
      const credential = id && (await tenancy.findCredential(id));
      if (credential === null) throw new Refused({ code: 'credential_not_found' });
      const nowMs = clock.now();
      const secretValid = isSecretOf(credential, body.secretSha256, nowMs);
      return { ...credentialView(credential, nowMs), secretValid };
    },
  }),
  operatorRoute({
    operationId: 'readCredential',
    command: 'credential show',
    tag,
    summary: 'One Credential, without its secret',
    method: 'GET',
    path: '/credentials/{credential_id}',
    role: 'read',
    input: { path: credentialPath },
    response: credentialRecord,
    errors: ['credential_not_found'],
    handle: async ({ tenancy, clock }, { path }) =>
      credentialView(await tenancy.requireCredential(path.credentialId), clock.now()),
  }),
  operatorRoute({
    operationId: 'rotateCredential',
    command: 'credential rotate',
    tag,
    summary: 'Replace the secret of a Credential',
    description: `The replaced secret stays valid for \`overlap_seconds\`. ${shownOnce}`,
    method: 'POST',
    path: '/credentials/{credential_id}/rotate',
    role: 'support',
    action: 'credential.rotate',
    input: {
      path: credentialPath,
      header: keyedHeaders,
      body: credentialRotation,
    },
    response: issuedCredential,
    documented: { headers: secretResponseHeaders },
    errors: [...errors, 'concurrent_change', 'idempotency_conflict'],
    async handle(services, { path: { credentialId }, header, body }) {
      const overlapMs = body.overlapSeconds * 1_000;
      const scope = ['operator', 'credential.rotate', credentialId];
      const { accountId } = await services.tenancy.requireCredential(credentialId);
      const environment = environmentOf(accountId);
      const keyed = keyedCredential(header['idempotency-key'], scope, body, environment);
      const issued = await rotateOnce(services, keyed, { credentialId, overlapMs });
      return shown(issued, services.clock.now());
    },
  }),
  operatorRoute({
    operationId: 'revokeCredential',
    command: 'credential revoke',
    tag,
    summary: 'End a Credential, at once and for good',
    method: 'POST',
    path: '/credentials/{credential_id}/revoke',
    role: 'support',
    action: 'credential.revoke',
    input: { path: credentialPath, body: emptyBody },
    response: credentialRecord,
    errors: ['credential_not_found'],
    handle: async ({ tenancy, clock }, { path }) =>
      credentialView(await tenancy.revokeCredential(path.credentialId), clock.now()),
  }),
  operatorRoute({
    operationId: 'changeCredential',
    command: 'credential change',
    tag,
    summary: 'Change the given fields of a Credential',
    method: 'PATCH',
    path: '/credentials/{credential_id}',
    role: 'support',
    action: 'credential.change',
    input: {
      path: credentialPath,
      body: changeOf({
        scopes: scopes.exactOptional(),
        expiresAtMs: expiry.exactOptional(),
        networkPolicy: settableNetworkPolicy.exactOptional(),
      }),
    },
    response: credentialRecord,
    errors,
    async handle({ tenancy, clock }, { path, body }) {
      requireFuture(body.expiresAtMs ?? null, clock.now());
      const changed = await tenancy.changeCredential(path.credentialId, body);
      return credentialView(changed, clock.now());
    },
  }),
];

/** A Credential with its secret, and whether its key was used before. */
function shown(issued: ShownCredential, nowMs: number): Reply {
  const body = z.encode(issuedCredential, issuedView(issued, nowMs));
  return new Reply({ headers: replayHeaders(issued.isRepeated), body });
}
