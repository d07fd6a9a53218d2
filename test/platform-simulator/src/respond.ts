import { control } from './control/control.ts';
import { answer } from './platform/answer.ts';
import { type Answer, jsonAnswer } from './platform/failures.ts';
import { type InventoryRequest, readInventoryRequest } from './platform/inventory-request.ts';
import type { World } from './platform/world.ts';
import { scenarioListing } from './scenarios.ts';

export type PlatformRequest = {
  readonly method: string;
  readonly url: URL;
  readonly identity: string;
  readonly nowMs: number;
  /** Empty unless it goes to a control endpoint. */
  readonly body: string;
};

/** A response, and the inventory request that it is for, if any. */
export type Response = { readonly answer: Answer; readonly inventory?: InventoryRequest };

/** The response to any request: the platform's own endpoint, the listing, the knobs. */
export function respond(request: PlatformRequest, world: World): Response {
  const { pathname } = request.url;
  if (pathname.startsWith('/control/')) {
    const { status, body } = control(request, world);
    return { answer: jsonAnswer(status, JSON.stringify(body)) };
  }
  if (request.method !== 'GET') {
    return { answer: errorAnswer(405, `${pathname} takes GET.`) };
  }
  const inventory = readInventoryRequest(request.url, request);
  if (inventory !== undefined) {
    return { answer: answer(inventory, world), inventory };
  }
  switch (pathname) {
    case '/scenarios':
      return { answer: jsonAnswer(200, JSON.stringify(scenarioListing())) };
    case '/livez':
      return { answer: jsonAnswer(200, '{"status":"ok"}') };
    default:
      return { answer: errorAnswer(404, `There is nothing at ${pathname}.`) };
  }
}

export function errorAnswer(status: number, sentence: string): Answer {
  return jsonAnswer(status, JSON.stringify({ error: sentence }));
}
