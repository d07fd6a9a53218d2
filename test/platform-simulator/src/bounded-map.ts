/** Sets an entry and forgets the oldest ones beyond `sizeMax`, so that no caller can fill memory. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, sizeMax: number): V {
  map.set(key, value);
  while (map.size > sizeMax) {
    const oldest = map.keys().next();
    if (oldest.done) {
      break;
    }
    map.delete(oldest.value);
  }
  return value;
}

/** The entry of a key, created when it is absent; bounded like `setBounded`. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V, sizeMax: number): V {
  const known = map.get(key);
  return known === undefined ? setBounded(map, key, create(), sizeMax) : known;
}
