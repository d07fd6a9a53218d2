import { type Access, accessOf, servicePlaceholder } from '@inventory/contracts/topic-access';
import { serviceNames } from '@inventory/contracts/topics';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
} from 'kafkajs';
import { createKafkaClient } from './kafkajs/client.ts';
import { readAsAdmin } from './kafkajs/read-as-admin.ts';

export interface AccessRules {
  /** Principal of each service, such as `User:inventory-{service}`. */
  readonly principals: string;
  /** The services' own setting. */
  readonly topicPrefix: string;
}

/**
 * Gives the user of each service what the topic catalogue names the service for; run by deployment
 * with an administrator's login. Rules that exist are not changed, and none is removed. Resolves
 * with the number of rules.
 */
export async function ensureAccess(
  access: KafkaAccess,
  rules: AccessRules,
  logger: Logger,
): Promise<number> {
  const acl = aclEntries(rules);
  const kafka = createKafkaClient({ ...access, logger, clientId: 'access-admin' });
  await readAsAdmin(kafka, (admin) => admin.createAcls({ acl }));
  return acl.length;
}

/** The rules of all services, in the order of the services. */
export function aclEntries({ principals, topicPrefix }: AccessRules): AclEntry[] {
  return serviceNames.flatMap((service) =>
    accessOf(service).map((access) => ({
      ...resourceOf(access, topicPrefix),
      principal: principals.replaceAll(servicePlaceholder, service),
      host: '*',
      operation: access.operation === 'Read' ? AclOperationTypes.READ : AclOperationTypes.WRITE,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  );
}

function resourceOf({ resource, name, pattern }: Access, topicPrefix: string) {
  return {
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: topicPrefix + name,
    resourcePatternType:
      pattern === 'literal' ? ResourcePatternTypes.LITERAL : ResourcePatternTypes.PREFIXED,
  };
}
