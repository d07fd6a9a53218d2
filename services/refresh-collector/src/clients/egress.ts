import { invariant } from '@inventory/runtime/bug';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type EgressName, identityId, parseEgressName } from '../domain/egress-name.ts';

/** An egress identity that is open. */
export interface EgressIdentity {
  readonly id: string;
  readonly dispatcher: Dispatcher;
}

const connect = { timeout: 5_000 } as const;
/** One request is in flight at a time; the second connection is for a first that just closed. */
const connections = 2;

/** Opens the identities of the PLATFORM_EGRESS setting, which was checked when it was read. */
export function openEgress(names: readonly string[]): EgressIdentity[] {
  return names.map((name) => {
    const egress = parseEgressName(name);
    invariant(egress !== null, 'egress names are checked when the configuration is read');
    return { id: identityId(egress), dispatcher: openDispatcher(egress) };
  });
}

function openDispatcher(egress: EgressName): Dispatcher {
  if (egress.kind === 'direct') {
    const { localAddress } = egress;
    return new Agent({
      connections,
      connect: localAddress === null ? connect : { ...connect, localAddress },
    });
  }
  const credentials = Buffer.from(`${egress.user}:${egress.password}`).toString('base64');
  return new ProxyAgent({
    uri: egress.origin,
    connect,
    connections,
    ...(egress.user === null ? {} : { token: `Basic ${credentials}` }),
  });
}
