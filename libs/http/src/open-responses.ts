import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses of each open connection that are not sent yet, oldest first. */
export type OpenResponses = Map<Socket, Set<ServerResponse>>;
