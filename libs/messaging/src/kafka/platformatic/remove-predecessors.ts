import { Admin } from '@platformatic/kafka';
import { instanceOf, isPredecessor } from '../instances.ts';
import type { KafkaConnection } from '../wire-client.ts';
import { clientOptions } from './client.ts';

/**
 * A process that was killed has left its membership behind, and its group waits until that expires
 * before it assigns a partition to the process in its place. A failure costs that wait, no more.
 */
export async function removePredecessors(
  connection: KafkaConnection,
  groupId: string,
): Promise<void> {
  const { clientId } = connection;
  if (instanceOf(clientId) === null) return;
  const admin = new Admin(clientOptions(connection));
  try {
    const groups = await admin.describeGroups({ groups: [groupId] });
    const members = [...(groups.get(groupId)?.members.values() ?? [])]
      .filter((member) => isPredecessor(member.clientId, clientId))
      .map(({ id }) => ({ memberId: id }));
    if (members.length > 0) await admin.removeMembersFromConsumerGroup({ groupId, members });
  } catch {
    // The group waits for the session of the earlier process.
  } finally {
    await admin.close();
  }
}
