import { type BrokerProxy, startBrokerProxy } from './broker-proxy.ts';

/** Requests to a group's coordinator, by their key in the protocol. */
const coordinatorRequests = { join: 11, heartbeat: 12 } as const;
type CoordinatorRequest = keyof typeof coordinatorRequests;

/** Responses of a coordinator while the group is being loaded. */
const coordinatorErrors = { loading: 14, notCoordinator: 16, unknownMember: 25 } as const;
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
  const proxy = await startBrokerProxy(realAddress, ({ key }) => {
    const error = refusals.get(key)?.shift();
    if (error !== undefined) return refusal(coordinatorErrors[error]);
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

/** JoinGroup 5 and Heartbeat 3 begin alike; the rest of the response is zeros. */
function refusal(error: number): Buffer {
  const body = Buffer.alloc(20);
  body.writeInt16BE(error, 4);
  return body;
}
