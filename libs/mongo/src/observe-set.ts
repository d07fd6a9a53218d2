import type { MongoClient, TopologyDescription } from 'mongodb';

/**
 * How long a set may be without a primary: after a crash its members wait ten seconds for it before
 * they elect, and the next one catches up first.
 */
export const electionMaxMs = 20_000;

/**
 * - `electing`: there is no primary that responds, for no longer than an election takes. What is
 *   requested meanwhile waits.
 * - `no_majority`: too few members have data for a majority. Reads are served, writes wait.
 * - `unavailable`: what is requested fails.
 */
export type SetProblem = 'electing' | 'no_majority' | 'unavailable';

/** Observes a server, or a set by its members as the driver knows them. */
export function observeSet(
  client: MongoClient,
  ping: () => Promise<unknown>,
  monotonicNow: () => number,
) {
  let members: readonly string[] = [];
  let respondedMs = Number.NEGATIVE_INFINITY;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    members = membersOf(newDescription);
  });

  async function responds(): Promise<boolean> {
    // Without a primary a ping would wait for one.
    if (members.includes('RSSecondary') && !members.includes('RSPrimary')) return false;
    return await ping().then(
      () => true,
      () => false,
    );
  }

  return {
    async problem(): Promise<SetProblem | null> {
      if (await responds()) {
        respondedMs = monotonicNow();
        return hasMajority(members) ? null : 'no_majority';
      }
      const isRecent = monotonicNow() - respondedMs < electionMaxMs;
      // A single server elects nobody, and nor does a set of which no member is reached from here.
      return isRecent && members.includes('RSSecondary') ? 'electing' : 'unavailable';
    },
  };
}

/** The type of each member, `Unknown` of those that do not respond. */
function membersOf({ servers }: TopologyDescription): readonly string[] {
  return [...servers.values()].map(({ type }) => type);
}

/** An arbiter votes and confirms no write: beside it the loss of one member stops all writes. */
function hasMajority(members: readonly string[]): boolean {
  if (!members.includes('RSArbiter')) return true;
  const withData = members.filter((type) => type === 'RSPrimary' || type === 'RSSecondary');
  return withData.length > members.length / 2;
}
