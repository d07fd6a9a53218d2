import type { AccountId } from '@inventory/contracts/ids';

interface IndexedStream {
  readonly accountId: AccountId;
  readonly secretDigest: string;
}

/** Open streams by secret, and secrets by account: a change of an account reads its own only. */
export function createStreamIndex<Stream extends IndexedStream>() {
  const bySecret = new Map<string, Set<Stream>>();
  const secrets = new Map<AccountId, Set<string>>();

  return {
    bySecret: bySecret as ReadonlyMap<string, ReadonlySet<Stream>>,
    secretsOf: (accountId: AccountId): Iterable<string> => secrets.get(accountId) ?? [],
    add(stream: Stream): void {
      addTo(bySecret, stream.secretDigest, stream);
      addTo(secrets, stream.accountId, stream.secretDigest);
    },
    remove(stream: Stream): void {
      removeFrom(bySecret, stream.secretDigest, stream);
      if (bySecret.has(stream.secretDigest)) return;
      removeFrom(secrets, stream.accountId, stream.secretDigest);
    },
  };
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set?.delete(value) && set.size === 0) sets.delete(key);
}
