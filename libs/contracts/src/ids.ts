import { z } from 'zod';

/** Every identifier prefix of the product. A refresh_id is a plain UUIDv7. */
export const idPrefixes = {
  request: 'req_',
  event: 'evt_',
  revision: 'invrev_',
  observation: 'invobs_',
  project: 'prj_',
  account: 'acc_',
  serviceAccount: 'sa_',
  credential: 'cred_',
  webhookEndpoint: 'whe_',
  watch: 'wat_',
  audit: 'aud_',
} as const;

export type IdKind = keyof typeof idPrefixes;
export type PrefixedId<Kind extends IdKind> = `${(typeof idPrefixes)[Kind]}${string}`;

const uuidPattern = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

function prefixedId<Kind extends IdKind>(kind: Kind) {
  const pattern = new RegExp(`^${idPrefixes[kind]}${uuidPattern}$`);
  return z
    .custom<PrefixedId<Kind>>(
      (value) => typeof value === 'string' && pattern.test(value),
      `must be ${idPrefixes[kind]} followed by a lowercase UUID`,
    )
    .meta({ type: 'string', pattern: pattern.source });
}

export const requestId = prefixedId('request');
export const eventId = prefixedId('event');
export const revisionId = prefixedId('revision');
export const observationId = prefixedId('observation');
export const projectId = prefixedId('project');
export const accountId = prefixedId('account');
export const serviceAccountId = prefixedId('serviceAccount');
export const credentialId = prefixedId('credential');
export const webhookEndpointId = prefixedId('webhookEndpoint');
export const watchId = prefixedId('watch');
export const auditId = prefixedId('audit');
/** Correlation id: under it a request waits for the reply to its command. */
export const waitingId = z.string().min(1).max(200);
export const refreshId = z.string().regex(new RegExp(`^${uuidPattern}$`), 'must be a UUID');

export type RequestId = PrefixedId<'request'>;
export type EventId = PrefixedId<'event'>;
export type RevisionId = PrefixedId<'revision'>;
export type ObservationId = PrefixedId<'observation'>;
export type ProjectId = PrefixedId<'project'>;
export type AccountId = PrefixedId<'account'>;
export type ServiceAccountId = PrefixedId<'serviceAccount'>;
export type CredentialId = PrefixedId<'credential'>;
export type WebhookEndpointId = PrefixedId<'webhookEndpoint'>;
export type WatchId = PrefixedId<'watch'>;
export type AuditId = PrefixedId<'audit'>;
export type RefreshId = string;
