import fc from 'fast-check';
import type { Page } from './assembled-inventory.ts';

/** Few values, so that ids meet: the same asset twice, one number as asset and as currency. */
const assetId = fc.constantFrom('1', '2', '3', '4', '90071992547409931', '1","2', 'ß');
const classId = fc.constantFrom('501', '502', '5');
const instanceId = fc.constantFrom('0', '7', '02');
const amount = fc.constantFrom('1', '2', '25', '9007199254740993', '18446744073709551615');

const asset = fc
  .record({
    appid: fc.constantFrom(730, 753),
    contextid: fc.constantFrom('2', '6'),
    assetid: assetId,
    classid: classId,
    instanceid: instanceId,
    amount,
    isCurrency: fc.integer({ min: 0, max: 4 }),
    wear: fc.option(fc.constantFrom('0.125', '0.5'), { nil: undefined }),
  })
  .map(({ isCurrency, wear, ...row }) => ({
    ...row,
    ...(isCurrency === 0 ? { currencyid: row.assetid } : {}),
    ...(wear === undefined ? {} : { asset_properties: [{ propertyid: 2, float_value: wear }] }),
  }));

/** A description may carry fields that look like an asset's. */
const description = fc
  .record({
    appid: fc.constant(730),
    classid: classId,
    instanceid: instanceId,
    name: fc.constantFrom('Blade', 'Лезвие', '刃, "sharp"', ''),
    assetid: fc.option(assetId, { nil: undefined }),
    amount: fc.option(fc.constant('77'), { nil: undefined }),
  })
  .map((row) => JSON.parse(JSON.stringify(row)) as typeof row);

export const page: fc.Arbitrary<Page> = fc.record({
  assets: fc.array(asset, { maxLength: 5 }),
  descriptions: fc.array(description, { maxLength: 4 }),
});

export const pages = fc.array(page, { maxLength: 5 });
export const blockAssets = fc.integer({ min: 1, max: 6 });
