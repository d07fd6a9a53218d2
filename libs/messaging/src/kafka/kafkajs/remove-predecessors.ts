import { instanceOf, isPredecessor } from '../instances.ts';

/** What a group of the client knows before it joins. */
export interface JoiningGroup {
  readonly groupId: string;
  readonly cluster: {
    findGroupCoordinator(of: { groupId: string }): Promise<Coordinator>;
  };
}

interface Coordinator {
  readonly connectionPool: { readonly clientId: string };
  describeGroups(of: { groupIds: string[] }): Promise<{
    readonly groups: readonly { readonly members: readonly Member[] }[];
  }>;
  leaveGroup(member: { groupId: string; memberId: string }): Promise<unknown>;
}

interface Member {
  readonly memberId: string;
  readonly clientId: string;
}

/**
 * The membership of a process that was killed remains, and its group waits until that expires before
 * it assigns a partition to the process that replaces it. Only one process of an instance runs at
 * a time: one that starts ends the memberships of earlier ones. A failure costs that wait, no more.
 */
export async function removePredecessors({ groupId, cluster }: JoiningGroup): Promise<void> {
  try {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    const { clientId } = coordinator.connectionPool;
    if (instanceOf(clientId) === null) return;
    const { groups } = await coordinator.describeGroups({ groupIds: [groupId] });
    for (const member of groups.flatMap(({ members }) => members)) {
      if (!isPredecessor(member.clientId, clientId)) continue;
      await coordinator.leaveGroup({ groupId, memberId: member.memberId });
    }
  } catch {
    // The group waits for the session of the earlier process.
  }
}
