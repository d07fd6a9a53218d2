import { accessOf } from '@inventory/contracts/topic-access';
import { serviceNames } from '@inventory/contracts/topics';
import {
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  ResourcePatternTypes,
} from 'kafkajs';
import { aclEntries } from './access-admin.ts';

const rules = { principals: 'User:CN={service},O=inventory', topicPrefix: 'eu.' };

test('a rule at the broker names the principal of its service, the prefix of the installation and one operation', () => {
  const own = aclEntries(rules).filter(
    ({ principal }) => principal === 'User:CN=event-stream,O=inventory',
  );
  const common = { host: '*', permissionType: AclPermissionTypes.ALLOW };

  expect(own).toContainEqual({
    ...common,
    principal: 'User:CN=event-stream,O=inventory',
    resourceType: AclResourceTypes.TOPIC,
    resourceName: 'eu.project.events.v1',
    resourcePatternType: ResourcePatternTypes.LITERAL,
    operation: AclOperationTypes.WRITE,
  });
  expect(own).toContainEqual({
    ...common,
    principal: 'User:CN=event-stream,O=inventory',
    resourceType: AclResourceTypes.GROUP,
    resourceName: 'eu.event-stream-',
    resourcePatternType: ResourcePatternTypes.PREFIXED,
    operation: AclOperationTypes.READ,
  });
});

test('rules are those of the catalogue, none wider: every right of every service once, nothing for all principals', () => {
  const entries = aclEntries(rules);

  expect(entries).toHaveLength(serviceNames.flatMap(accessOf).length);
  expect(new Set(entries.map((entry) => JSON.stringify(entry))).size).toBe(entries.length);
  const wide: readonly number[] = [AclOperationTypes.ALL, AclOperationTypes.ANY];
  expect(entries.filter(({ operation }) => wide.includes(operation))).toEqual([]);
  expect(entries.filter(({ resourceName }) => resourceName.includes('*'))).toEqual([]);
});
