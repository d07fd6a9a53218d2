import {
  cappedCredential,
  credentialList,
  credentialRecord,
  credentialRotation,
  credentialSpendCap,
  credentialsMax,
  credentialsPerDayMax,
  credentialsQuery,
  endedCredentialKeepDays,
  issuedCredential,
  newCredential,
  ownCredentialPath,
} from '@inventory/contracts/http/credentials';
import { projectPath } from '@inventory/contracts/http/parameters';
import { credentialId } from '@inventory/contracts/ids';
import { z } from 'zod';
import { dataRoute, partOf } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import type { AdmittedRequest } from '../http/public-response.ts';
import { listParts } from '../http/sealed-cursor.ts';
import { keyedCredential, rotateOnce } from '../secrets/keyed-credentials.ts';
import {
  replayHeaders,
  secretHeaders,
  secretResponseHeaders,
} from '../secrets/promised-secrets.ts';
import { credentialView, issuedView } from '../tenancy/tenancy-views.ts';
import {
  type CredentialServices,
  capCredential,
  findOwnCredential,
  issueOwnCredential,
} from './own-credentials.ts';

/** Of every operation on Credentials. */
const credentialOperation = {
  tag: 'Credentials',
  permission: 'customer.credentials.manage.v1',
} as const;
const credentialsTemplate = '/v2/projects/{project_id}/credentials';
const secretShownOnce =
  'The secret is shown in this response only; with an `Idempotency-Key` the same request again ' +
  'returns it for a day.';

const credentialExample: z.input<typeof credentialRecord> = {
  credential_id: exampleIds.credential,
  project_id: exampleIds.project,
  account_id: exampleIds.account,
  service_account_id: exampleIds.serviceAccount,
  name: 'Price tracker',
  state: 'active',
  public_id: '02sCTjS2o0K1L7pMZ3eX4r',
  scopes: ['platform.inventory.current.page.v1'],
  expires_at: null,
  network_policy: null,
  replaced_secret_valid_until: null,
  created_at: '2026-01-15T10:00:00.000Z',
  changed_at: '2026-01-15T10:00:00.000Z',
  revoked_at: null,
};
const issuedCredentialExample = {
  ...credentialExample,
  secret: 'inv_02sCTjS2o0K1L7pMZ3eX4r_<entropy>_<checksum>',
};
const namedCredential = {
  project_id: '$response.body#/data/project_id',
  credential_id: '$response.body#/data/credential_id',
};

/** With at most the authority of the caller's. */
const issueCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'issueCredential',
  summary: 'New Credential',
  description:
    'Of this Project, with at most what this Credential may do: its Service account and network ' +
    'policy, no later end, no higher spend cap, and none of the permissions to manage. ' +
    `${secretShownOnce} A Project can have ${credentialsMax} active Credentials that way, and can be ` +
    `issued ${credentialsPerDayMax} within 24 hours (429 with \`detail.limit\` \`credentials_issued\`).`,
  method: 'POST',
  template: credentialsTemplate,
  input: { path: projectPath, header: secretHeaders, body: newCredential },
  bodyExample: { name: credentialExample.name, scopes: credentialExample.scopes },
  response: {
    status: 201,
    description: 'The Credential with its secret.',
    links: {
      rotateCredential: namedCredential,
      setCredentialSpendCap: namedCredential,
      revokeCredential: namedCredential,
    },
    data: issuedCredential,
    example: issuedCredentialExample,
    headers: secretResponseHeaders,
  },
  errors: ['credential_limit_reached', 'idempotency_conflict'],
  async handle(services: CredentialServices, { header, body }, request) {
    const key = header['Idempotency-Key'];
    const issued = await issueOwnCredential(services, request, body, key);
    const headers = replayHeaders(issued.isRepeated);
    return { data: issuedView(issued, services.clock.now()), headers };
  },
});

const listCredentialsRoute = dataRoute({
  ...credentialOperation,
  operationId: 'listCredentials',
  summary: 'Credentials of a Project',
  description:
    'Oldest first, without their secrets; for ' +
    `${endedCredentialKeepDays} days also those that were revoked or have expired.`,
  method: 'GET',
  template: credentialsTemplate,
  input: { path: projectPath, query: credentialsQuery },
  response: partOf(credentialList, credentialExample, {
    listCredentials: { ...sameProject, ...nextPart() },
  }),
  errors: ['invalid_cursor'],
  async handle(
    { tenancy, clock, cursors }: CredentialServices,
    { path: { projectId }, query: { limit, cursor } },
  ) {
    const parts = listParts(cursors, ['credentials', projectId]);
    const afterId = credentialId.nullable().parse(parts.begin(cursor));
    const found = await tenancy.listCredentials(projectId, { afterId, limit: limit + 1 });
    const { items, pagination } = parts.take(found, limit, (one) => one.credentialId);
    return { data: { items: items.map((one) => credentialView(one, clock.now())), pagination } };
  },
});

const rotateCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'rotateCredential',
  summary: 'Replace the secret of a Credential',
  description: `Of one that this Credential could have issued. ${secretShownOnce}`,
  method: 'POST',
  template: `${credentialsTemplate}/{credential_id}/rotate`,
  input: { path: ownCredentialPath, header: secretHeaders, body: credentialRotation },
  bodyExample: { overlap_seconds: 3_600 },
  response: {
    status: 200,
    description: 'The Credential with its new secret.',
    data: issuedCredential,
    example: issuedCredentialExample,
    headers: secretResponseHeaders,
  },
  errors: ['credential_not_found', 'credential_revoked', 'idempotency_conflict'],
  async handle(deps: CredentialServices, { path, header, body }, request) {
    const { tenancy, clock } = deps;
    const own = await findOwnCredential(tenancy, request.principal, path.credentialId);
    const { credentialId } = own;
    const overlapMs = body.overlapSeconds * 1_000;
    const scope = ['credential.rotate', credentialId];
    const { environment } = request.principal;
    const keyed = keyedCredential(header['Idempotency-Key'], scope, body, environment);
    const issued = await rotateOnce(deps, keyed, { credentialId, overlapMs });
    writeEnd(deps, request, {
      action: 'credential.rotate',
      ...z.encode(ownCredentialPath, path),
      ...z.encode(credentialRotation, body),
    });
    const headers = replayHeaders(issued.isRepeated);
    return { data: issuedView(issued, clock.now()), headers };
  },
});

const setCredentialSpendCapRoute = dataRoute({
  ...credentialOperation,
  operationId: 'setCredentialSpendCap',
  summary: 'Spend cap of a Credential',
  description:
    'Most credits or units that are bought with a Credential in a UTC month, runs of the watches that ' +
    'it put included: of one that this Credential could have issued, and at most its own cap. Setting ' +
    'it again is safe.',
  method: 'PUT',
  template: `${credentialsTemplate}/{credential_id}/spend-cap`,
  input: { path: ownCredentialPath, body: credentialSpendCap },
  bodyExample: { cap: 500 },
  response: {
    status: 200,
    description: 'The cap is in force.',
    data: cappedCredential,
    example: { credential_id: exampleIds.credential, cap: 500 },
  },
  errors: ['credential_not_found'],
  async handle(services: CredentialServices, { path, body: { cap } }, request) {
    const { principal } = request;
    const { credentialId } = await findOwnCredential(
      services.tenancy,
      principal,
      path.credentialId,
    );
    await capCredential(services, request, credentialId, cap);
    return { data: { credentialId, cap } };
  },
});

const revokeCredentialRoute = dataRoute({
  ...credentialOperation,
  operationId: 'revokeCredential',
  summary: 'End a Credential, at once and for good',
  description:
    'One that this Credential could have issued. Repeating it is safe, for ' +
    `${endedCredentialKeepDays} days.`,
  method: 'DELETE',
  template: `${credentialsTemplate}/{credential_id}`,
  input: { path: ownCredentialPath },
  response: {
    status: 200,
    description: 'The Credential is revoked.',
    data: credentialRecord,
    example: { ...credentialExample, state: 'revoked', revoked_at: '2026-01-20T10:00:00.000Z' },
  },
  errors: ['credential_not_found'],
  async handle(deps: CredentialServices, { path }, request) {
    const { tenancy, clock } = deps;
    const own = await findOwnCredential(tenancy, request.principal, path.credentialId);
    const revoked = await tenancy.revokeCredential(own.credentialId);
    writeEnd(deps, request, { action: 'credential.revoke', ...z.encode(ownCredentialPath, path) });
    return { data: credentialView(revoked, clock.now()) };
  },
});

/** The end of a secret is in the log, as after a restore it has to end again. */
function writeEnd(
  { writeAuditLine }: CredentialServices,
  { principal, requestId }: AdmittedRequest,
  change: { readonly action: string; readonly [field: string]: unknown },
): void {
  const by = { operator: null, by_credential_id: principal.credentialId };
  writeAuditLine({ ...by, ...change, outcome: 'done' }, requestId);
}

/** The Credentials of the own Project, in the order of the reference. */
export const credentialRoutes = [
  issueCredentialRoute,
  listCredentialsRoute,
  rotateCredentialRoute,
  setCredentialSpendCapRoute,
  revokeCredentialRoute,
];
