import {
  type DescriptionTexts,
  descriptionSlot,
  descriptionTexts,
} from '../catalogue/description-texts.ts';
import { classId, instances, isStackable } from '../catalogue/item-kinds.ts';
import { mix32, pick } from '../seeded-hash.ts';
import {
  assetAmount,
  assetId,
  assetInstance,
  assetKind,
  type Inventory,
  type Slice,
  totalCount,
} from './inventory.ts';

export type PageOptions = {
  readonly language: string;
  readonly rawAssetProperties: boolean;
};

const comma = Buffer.from(',');

/** A page of an inventory as the platform writes it; without `assets` keys when it has none. */
export function pageBody(
  inventory: Inventory,
  slice: Slice,
  options: PageOptions,
  store: DescriptionTexts,
): Buffer {
  const end = `${continuation(inventory, slice)}"total_inventory_count":${totalCount(inventory)},"success":1,"rwgrsn":-2}`;
  if (slice.indices.length === 0) {
    return Buffer.from(`{${end}`);
  }
  const slots = new Set<number>();
  const assets = assetsJson(inventory, slice, slots);
  const properties =
    options.rawAssetProperties && inventory.app.hasWear
      ? `"asset_properties":[${propertiesJson(inventory, slice)}],`
      : '';
  const pieces: Buffer[] = [Buffer.from(`{"assets":[${assets}],"descriptions":[`)];
  const { app, textVersion } = inventory;
  const of = { app, textVersion, language: options.language };
  for (const text of descriptionTexts(store, of, slots)) {
    pieces.push(text, comma);
  }
  pieces.pop();
  pieces.push(Buffer.from(`],${properties}${end}`));
  return Buffer.concat(pieces);
}

function continuation(inventory: Inventory, slice: Slice): string {
  const last = slice.indices.at(-1);
  return slice.hasMore && last !== undefined
    ? `"more_items":1,"last_assetid":"${assetId(inventory, last)}",`
    : '';
}

/** Also notes in `slots` which descriptions the assets belong to. */
function assetsJson(inventory: Inventory, slice: Slice, slots: Set<number>): string {
  const { app } = inventory;
  const head = `{"appid":${app.appId},"contextid":"${inventory.contextId}","assetid":"`;
  const rows: string[] = [];
  for (const index of slice.indices) {
    const kind = assetKind(inventory, index);
    const instance = assetInstance(inventory, index);
    slots.add(descriptionSlot(kind, instance));
    const join = `"classid":"${classId(app, kind)}","instanceid":"${pick(instances, instance).instanceId}"`;
    rows.push(
      `${head}${assetId(inventory, index)}",${join},"amount":"${assetAmount(inventory, index)}"}`,
    );
  }
  return rows.join(',');
}

/** Pattern and wear of the weapons on the page; numbers are strings on the wire. */
function propertiesJson(inventory: Inventory, slice: Slice): string {
  const head = `{"appid":${inventory.app.appId},"contextid":"${inventory.contextId}","assetid":"`;
  const rows: string[] = [];
  for (const index of slice.indices) {
    if (isStackable(assetKind(inventory, index))) {
      continue;
    }
    const roll = mix32(inventory.salt ^ 0x1b873593, index);
    const wear = (roll / 2 ** 32).toFixed(7);
    const list = `{"propertyid":2,"float_value":"${wear}","name":"Wear"},{"propertyid":1,"int_value":"${roll % 1000}"}`;
    rows.push(`${head}${assetId(inventory, index)}","asset_properties":[${list}]}`);
  }
  return rows.join(',');
}
