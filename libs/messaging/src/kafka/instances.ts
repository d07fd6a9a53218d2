/**
 * The client id of one process of an instance. An instance is what is the same after a restart: a
 * host name and a port that two processes cannot listen on at once.
 */
export function clientIdOf(service: string, instance: string | undefined, uuid: string): string {
  return instance === undefined ? `${service}-${uuid}` : `${service}@${instance}/${uuid}`;
}

export function isPredecessor(other: string, clientId: string): boolean {
  return (
    other !== clientId && instanceOf(other) !== null && instanceOf(other) === instanceOf(clientId)
  );
}

export function instanceOf(clientId: string): string | null {
  return /^(.+@.+)\/[^/]+$/.exec(clientId)?.[1] ?? null;
}
