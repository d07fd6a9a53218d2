import { createHash } from 'node:crypto';
import { stagedPage } from '@inventory/contracts/internal/inventory';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { MessageBody } from '@inventory/contracts/messages';
import type { RefusalCode } from '@inventory/contracts/refusal';
import { startHttpServer } from '@inventory/http/http-server';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';

/** A revision-store that stages pages, commits a manifest and shows it; it decides once per scan. */
export interface FakeRevisionStore {
  readonly url: string;
  /** Asset ids of each committed scan, in order, first position kept. */
  readonly committed: Map<string, string[]>;
  readonly manifests: Map<string, MessageBody<'revision.completed.v1'>>;
  /** Responds to every PUT with 503 while true. */
  away: boolean;
  /** Refuses every PUT with this code. */
  refuses: RefusalCode | null;
  /** PUTs that it answered with an error. */
  refusals: number;
  /** Leaves commands without an answer until they are released. */
  hold(): void;
  release(): Promise<void>;
  close(): Promise<void>;
}

export async function startFakeRevisionStore(bus: MessageBus): Promise<FakeRevisionStore> {
  const chunks = new Map<string, Buffer>();
  const decided = new Map<string, 'committed' | 'abandoned'>();
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    listener: async (request, response) => {
      if (request.url?.endsWith('/observation')) {
        const latest = latestOf(request.url);
        const error = { code: 'inventory_revision_not_found', message: 'none' };
        response.writeHead(latest ? 200 : 404).end(JSON.stringify(latest ?? { error }));
        return;
      }
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const [, inventory] = request.url?.match(/^\/inventories\/(.+)\/epoch$/) ?? [];
      if (inventory) {
        response.end(JSON.stringify({ inventory_epoch: `${inventory}/0` }));
        return;
      }
      const body = Buffer.concat(parts);
      const digest = createHash('sha256').update(body).digest('hex');
      if (store.away || store.refuses !== null) {
        store.refusals += 1;
        const code = store.away ? 'internal_error' : store.refuses;
        const status = store.away ? 503 : 422;
        response.writeHead(status).end(JSON.stringify({ error: { code, message: 'no' } }));
        return;
      }
      if (request.headers['x-chunk-digest'] !== digest) {
        response.writeHead(409).end();
        return;
      }
      chunks.set(digest, body);
      response.writeHead(204).end();
    },
  });
  /** Null while commands are answered at once. */
  let held: (() => Promise<void>)[] | null = null;
  const store: FakeRevisionStore = {
    url: server.url,
    committed: new Map(),
    manifests: new Map(),
    away: false,
    refuses: null,
    refusals: 0,
    hold() {
      held ??= [];
    },
    async release() {
      const commands = held ?? [];
      held = null;
      for (const handle of commands) await handle();
    },
    close: () => server.close(0),
  };

  /** What was committed last of the inventory of an address. */
  function latestOf(url: string) {
    const ofIt = [...store.manifests.values()].filter(({ scope }) =>
      url.includes(`/${inventoryKeyText(scope)}/`),
    );
    const last = ofIt.at(-1);
    return (
      last && {
        revision_id: `invrev_${last.scanId}`,
        verified_at: new Date(last.scanWindow.completedAtMs).toISOString(),
        language: last.language,
        observed_assets: store.committed.get(last.scanId)?.length,
        changed: true,
      }
    );
  }

  function assemble(manifest: MessageBody<'revision.completed.v1'>): string[] {
    const ids = manifest.pages.flatMap((page) => {
      const bytes = page.chunks.map(({ digest }) => chunks.get(digest) ?? Buffer.alloc(0));
      const { assets } = stagedPage.parse(JSON.parse(Buffer.concat(bytes).toString()));
      return assets.map(({ assetid }) => assetid);
    });
    return [...new Set(ids)];
  }

  await bus.consume({
    group: 'fake-revision-store',
    topics: ['revision.commands.v1'],
    onBatch: byKey(
      {
        'revision.completed.v1': ({ body }) => unlessHeld(() => complete(body)),
        'revision.abandoned.v1': ({ body }) => unlessHeld(() => abandon(body.scanId)),
      },
      8,
    ),
  });

  async function complete(manifest: MessageBody<'revision.completed.v1'>): Promise<void> {
    const { scanId } = manifest;
    if (!decided.has(scanId)) {
      decided.set(scanId, 'committed');
      store.committed.set(scanId, assemble(manifest));
      store.manifests.set(scanId, manifest);
    }
    await respond(scanId);
  }

  async function abandon(scanId: string): Promise<void> {
    if (!decided.has(scanId)) decided.set(scanId, 'abandoned');
    await respond(scanId);
  }

  async function unlessHeld(handle: () => Promise<void>): Promise<void> {
    if (held) held.push(handle);
    else await handle();
  }

  async function respond(scanId: string): Promise<void> {
    const common = { scanId, refreshId: scanId };
    const observed = store.committed.get(scanId)?.length ?? 0;
    await bus.publish([
      decided.get(scanId) === 'committed'
        ? {
            type: 'revision.committed.v1',
            id: `committed:${scanId}`,
            body: {
              ...common,
              scope: null,
              revisionId: `invrev_${scanId}`,
              previousRevisionId: null,
              observationId: `invobs_${scanId}`,
              changed: true,
              observedAssets: observed,
            },
          }
        : {
            type: 'revision.rejected.v1',
            id: `rejected:${scanId}`,
            body: { ...common, reason: 'abandoned' },
          },
    ]);
  }
  return store;
}
