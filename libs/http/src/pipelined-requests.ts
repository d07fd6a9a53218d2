import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The responses of each open connection that are not sent yet, oldest first. */
export type OpenResponses = Map<Socket, Set<ServerResponse>>;

/** Waiting requests of one connection past which nothing more is read from it. */
const pipelinedRequestsMax = 16;

/**
 * Waiting requests of all connections past which one with more than its share is closed: what one read
 * of a connection contains is parsed as a whole, which may be two thousand requests.
 */
const waitingRequestsMax = 10_000;

/** Middleware, the pipeline of a body and tracing wait for the end of a response; past 10 Node writes a warning. */
const listenersMax = 20;

export interface PipelinedRequests {
  /** Reads no more from the connection while too many of its requests wait. */
  watch(socket: Socket): void;
  /**
   * Handles the requests of a connection one after the other: each once its response owns the
   * socket, that is, after the response before it was handed to the operating system. Node handles
   * pipelined requests at once and buffers their responses without a bound; what a handler writes
   * would then be sent at any later time.
   */
  readonly listener: RequestListener;
}

export function handleInOrder(open: OpenResponses, listener: RequestListener): PipelinedRequests {
  const waiting = new Set<ServerResponse>();
  const stopped = new WeakSet<Socket>();
  const hasTooMany = (socket: Socket) => (open.get(socket)?.size ?? 0) > pipelinedRequestsMax + 1;

  function stop(socket: Socket): void {
    stopped.add(socket);
    socket.pause();
    if (waiting.size > waitingRequestsMax) socket.destroy();
  }

  function resume(socket: Socket): void {
    if (hasTooMany(socket) || !stopped.delete(socket)) return;
    socket.resume();
  }

  return {
    watch(socket) {
      const responses = open.get(socket);
      // Node itself resumes a connection whenever a request on it is read or responded to.
      socket.on('resume', () => {
        if (stopped.has(socket)) socket.pause();
      });
      socket.on('close', () => {
        for (const response of responses ?? []) waiting.delete(response);
      });
    },
    listener(request: IncomingMessage, response: ServerResponse) {
      const { socket } = request;
      const responses = open.get(socket);
      if (!responses) return;
      responses.add(response);
      // Node's parser drops what arrives with such a request, so its response is the last one.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      response.setMaxListeners(listenersMax);
      response.once('close', () => {
        responses.delete(response);
        resume(socket);
      });
      if (response.socket) {
        listener(request, response);
        return;
      }
      waiting.add(response);
      response.once('socket', () => {
        waiting.delete(response);
        listener(request, response);
      });
      if (hasTooMany(socket)) stop(socket);
    },
  };
}
