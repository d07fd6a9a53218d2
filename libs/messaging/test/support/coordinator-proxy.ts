import { type BrokerProxy, type KafkaRequest, startBrokerProxy } from './broker-proxy.ts';

/** Requests to a group's coordinator, by their key in the protocol. */
const coordinatorRequests = { join: 11, heartbeat: 12 } as const;
type CoordinatorRequest = keyof typeof coordinatorRequests;

/** Responses of a coordinator while the group is being loaded or joined. */
const coordinatorErrors = {
  loading: 14,
  notCoordinator: 16,
  unknownMember: 25,
  rebalancing: 27,
} as const;
type CoordinatorError = keyof typeof coordinatorErrors;

export interface CoordinatorProxy extends BrokerProxy {
  /** The next such requests are answered by the proxy, one by one, and not forwarded. */
  refuse(request: CoordinatorRequest, ...errors: readonly CoordinatorError[]): void;
  /** Whether every refusal was sent. */
  refused(): boolean;
  /** How many such requests were forwarded. */
  passed(request: CoordinatorRequest): number;
}

/** A proxy of a broker that refuses requests of a group as a coordinator does after its start. */
export async function startCoordinatorProxy(realAddress: string): Promise<CoordinatorProxy> {
  const refusals = new Map<number, CoordinatorError[]>();
  const passed = new Map<number, number>();
  const proxy = await startBrokerProxy(realAddress, (request) => {
    const { key } = request;
    const error = refusals.get(key)?.shift();
    if (error !== undefined) return refusal(coordinatorErrors[error], request);
    passed.set(key, (passed.get(key) ?? 0) + 1);
    return undefined;
  });
  return {
    ...proxy,
    refuse: (request, ...errors) => void refusals.set(coordinatorRequests[request], [...errors]),
    refused: () => [...refusals.values()].every((errors) => errors.length === 0),
    passed: (request) => passed.get(coordinatorRequests[request]) ?? 0,
  };
}

/** From these versions on a response begins with its tagged fields. */
const taggedFrom: Readonly<Record<number, number>> = { 11: 6, 12: 4 };

/** The responses of both requests begin alike; the rest is zeros. */
function refusal(error: number, { key, version }: KafkaRequest): Buffer {
  const body = Buffer.alloc(24);
  body.writeInt16BE(error, version >= (taggedFrom[key] ?? 0) ? 5 : 4);
  return body;
}
