import { createHash } from 'node:crypto';
import { asset, description, type ScanPage } from './scan-builder.ts';

const noise = (seed: string): string => createHash('sha512').update(seed).digest('base64');

/** A page of 2,000 assets that weighs what a real one does: about 1.3 MB, hard to compress. */
export function heavyPage(page: number): ScanPage {
  const assets = Array.from({ length: 2_000 }, (_, at) =>
    asset(String(40_000_000_000 + page * 2_000 + at), {
      classid: String(page * 1_000 + (at % 1_000)),
      instanceid: String(at % 5),
    }),
  );
  const descriptions = Array.from({ length: 1_000 }, (_, at) =>
    description(String(page * 1_000 + at), String(at % 5), {
      icon_url: noise(`icon ${page}/${at}`),
      icon_url_large: noise(`large ${page}/${at}`),
      actions: [{ link: `sim://inspect/%assetid%/${noise(`${at}`)}`, name: 'Inspect in Game...' }],
      descriptions: [
        { type: 'html', value: 'Exterior: Field-Tested', name: 'exterior_wear' },
        { type: 'html', value: ' ', name: 'blank' },
        { type: 'html', value: `It has been colored by hand, ${noise(`text ${at}`)}` },
      ],
      tags: [
        { category: 'Type', internal_name: 'sim_knife', localized_tag_name: 'Knife' },
        {
          category: 'Rarity',
          internal_name: 'rare',
          localized_tag_name: 'Covert',
          color: 'eb4b4b',
        },
      ],
      marketable: 1,
      commodity: 0,
      type: 'Covert Knife',
    }),
  );
  return { assets, descriptions };
}

/** A page of assets with a description of 7.5 KB each, of its own and hard to compress. */
export function pageOfHeavyRows(from: number, to: number): ScanPage {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  return {
    assets: numbers.map((number) => asset(String(number), { classid: String(number) })),
    descriptions: numbers.map((number) => {
      const lines = Array.from({ length: 80 }, (_, at) => noise(`${number}/${at}`));
      return description(String(number), '0', { value: lines.join('') });
    }),
  };
}
