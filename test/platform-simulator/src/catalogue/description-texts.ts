import { pick } from '../seeded-hash.ts';
import type { App } from './apps.ts';
import { description } from './descriptions.ts';
import { instances, itemKind } from './item-kinds.ts';

/** Serialized descriptions of one (app, language, text version), by `descriptionSlot`. */
type Shelf = Map<number, Buffer>;

/**
 * Serialized descriptions, kept as UTF-8: a page copies what it would otherwise rebuild. Bounded in
 * bytes (a description has about 2,500).
 */
export type DescriptionTexts = {
  readonly shelves: Map<string, Shelf>;
  storedBytes: number;
  readonly storedBytesMax: number;
};

export function newDescriptionTexts(storedBytesMax = 64_000_000): DescriptionTexts {
  return { shelves: new Map(), storedBytes: 0, storedBytesMax };
}

/** One number for a kind of the catalogue together with an entry of `instances`. */
export function descriptionSlot(kindNumber: number, instance: number): number {
  return kindNumber * instances.length + instance;
}

/** The descriptions of some slots, in their order. */
export function descriptionTexts(
  store: DescriptionTexts,
  of: { readonly app: App; readonly language: string; readonly textVersion: number },
  slots: Iterable<number>,
): Buffer[] {
  const key = `${of.app.appId} ${of.language} ${of.textVersion}`;
  let shelf = store.shelves.get(key);
  const found: Buffer[] = [];
  for (const slot of slots) {
    let text = shelf?.get(slot);
    if (text === undefined) {
      text = write(of, slot);
      shelf = roomyShelf(store, key, text.length);
      shelf.set(slot, text);
    }
    found.push(text);
  }
  return found;
}

function write(
  of: { readonly app: App; readonly language: string; readonly textVersion: number },
  slot: number,
): Buffer {
  const instance = slot % instances.length;
  const kind = itemKind(of.app, (slot - instance) / instances.length);
  return Buffer.from(
    JSON.stringify(description({ ...of, kind, instance: pick(instances, instance) })),
  );
}

/** The shelf of a key, after freeing capacity: starting over is enough, texts are cheap to write again. */
function roomyShelf(store: DescriptionTexts, key: string, bytes: number): Shelf {
  if (store.storedBytes + bytes > store.storedBytesMax) {
    store.shelves.clear();
    store.storedBytes = 0;
  }
  store.storedBytes += bytes;
  const known = store.shelves.get(key);
  if (known !== undefined) {
    return known;
  }
  const shelf: Shelf = new Map();
  store.shelves.set(key, shelf);
  return shelf;
}
