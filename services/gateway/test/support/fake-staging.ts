import type { IncomingMessage } from 'node:http';
import { chunkDigestHeader } from '@inventory/contracts/internal/inventory';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { type FakeResponse, jsonResponse, refusalResponse } from './http-fake.ts';

/** The staging side of a revision-store: each position keeps what came first. */
export interface FakeStaging {
  /** `<scan>/<epoch>/<page>/<chunk>` to digest and text. */
  readonly chunks: Map<string, { digest: string; text: string }>;
  /** Responses to PUT come only after it. */
  gate: Promise<void>;
  /** Begins the next epoch of an inventory. */
  erase(inventory: string): void;
  epochOf(inventory: string): string;
  respond(url: URL, request: IncomingMessage): Promise<FakeResponse>;
}

export function createFakeStaging(): FakeStaging {
  const chunks: FakeStaging['chunks'] = new Map();

  const erasures = new Map<string, number>();
  const epochOf = (inventory: string) => `${inventory}/${erasures.get(inventory) ?? 0}`;

  function put(position: string, digest: string, text: string) {
    const known = chunks.get(position);
    if (known !== undefined && known.digest !== digest) return jsonResponse({ error: {} }, 409);
    chunks.set(position, { digest, text });
    return { status: 204, body: '' };
  }

  function list(scanId: string, epoch: number): ManifestPage[] {
    const pages = new Map<number, ManifestPage['chunks']>();
    for (const [position, { digest, text }] of chunks) {
      const [scan, , page, chunk] = position.split('/');
      if (scan !== scanId) continue;
      const named = pages.get(Number(page)) ?? [];
      named[Number(chunk)] = { digest, bytes: Buffer.byteLength(text) };
      pages.set(Number(page), named);
    }
    return [...pages].map(([page, named]) => ({ page, epoch, chunks: named }));
  }

  async function respond(
    { pathname, searchParams }: URL,
    request: IncomingMessage,
  ): Promise<FakeResponse> {
    const [, , scanId = '', , epoch = '', , page, , chunk] = pathname.split('/');
    if (request.method === 'GET') return jsonResponse({ pages: list(scanId, Number(epoch)) });
    const body: Buffer[] = [];
    for await (const part of request) body.push(part as Buffer);
    await fake.gate;
    const stated = searchParams.get('inventory_epoch') ?? '';
    if (stated !== epochOf(stated.replace(/\/\d+$/, ''))) {
      return refusalResponse({ code: 'inventory_erased' });
    }
    const digest = String(request.headers[chunkDigestHeader]);
    return put(`${scanId}/${epoch}/${page}/${chunk}`, digest, Buffer.concat(body).toString());
  }
  const fake: FakeStaging = {
    ...{ chunks, gate: Promise.resolve(), respond, epochOf },
    erase: (inventory) => void erasures.set(inventory, (erasures.get(inventory) ?? 0) + 1),
  };
  return fake;
}
