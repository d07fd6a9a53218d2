import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Credential } from '../tenancy/tenancy.domain.ts';
import { toWireCredential, toWireIssued } from './convert.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import {
  credentialPath,
  expiryBody,
  networkPolicyBody,
  noBody,
  requireFuture,
  rotationBody,
  scopesBody,
} from './operator-schemas.ts';

type CredentialTenancy = Pick<
  Tenancy,
  'findCredential' | 'changeCredential' | 'rotateCredential' | 'revokeCredential'
>;

export function credentialRoutes(tenancy: CredentialTenancy, clock: Clock): OperatorRoute[] {
  const toWire = (credential: Credential) => toWireCredential(credential, clock.now());
  return [
    operatorRoute({
      method: 'get',
      path: '/credentials/:credential_id',
      parts: { path: credentialPath },
      async handle({ path }) {
        const credential = await tenancy.findCredential(path.credential_id);
        if (credential === null) throw new Refused({ code: 'credential_not_found' });
        return toWire(credential);
      },
    }),
    operatorRoute({
      method: 'post',
      path: '/credentials/:credential_id/rotate',
      action: 'credential.rotate',
      parts: { path: credentialPath, body: rotationBody },
      async handle({ path, body }) {
        const overlapMs = body.overlap_seconds * 1_000;
        const rotation = { credentialId: path.credential_id, overlapMs };
        return toWireIssued(await tenancy.rotateCredential(rotation), clock.now());
      },
    }),
    operatorRoute({
      method: 'post',
      path: '/credentials/:credential_id/revoke',
      action: 'credential.revoke',
      parts: { path: credentialPath, body: noBody },
      handle: async ({ path }) => toWire(await tenancy.revokeCredential(path.credential_id)),
    }),
    ...changeRoutes(tenancy, clock, toWire),
  ];
}

function changeRoutes(
  { changeCredential }: CredentialTenancy,
  clock: Clock,
  toWire: (credential: Credential) => unknown,
): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'put',
      path: '/credentials/:credential_id/scopes',
      action: 'credential.scopes',
      parts: { path: credentialPath, body: scopesBody },
      handle: async ({ path, body }) =>
        toWire(await changeCredential(path.credential_id, { scopes: body.scopes })),
    }),
    operatorRoute({
      method: 'put',
      path: '/credentials/:credential_id/expiry',
      action: 'credential.expiry',
      parts: { path: credentialPath, body: expiryBody },
      async handle({ path, body }) {
        requireFuture(body.expires_at, clock.now());
        return toWire(await changeCredential(path.credential_id, { expiresAtMs: body.expires_at }));
      },
    }),
    operatorRoute({
      method: 'put',
      path: '/credentials/:credential_id/network-policy',
      action: 'credential.network-policy',
      parts: { path: credentialPath, body: networkPolicyBody },
      handle: async ({ path, body }) =>
        toWire(await changeCredential(path.credential_id, { networkPolicy: body.network_policy })),
    }),
  ];
}
