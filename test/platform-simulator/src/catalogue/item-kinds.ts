import { hashText, mix32, pick, seed } from '../seeded-hash.ts';
import type { App } from './apps.ts';
import { adjectives, itemTypes, places, qualities, rarities } from './vocabulary-lists.ts';

/** Item kinds of one application. */
export const kindCount = adjectives.length * 80;

/** What makes two items of one kind differ in their description: the platform's `instanceid`. */
export const instances = [
  { instanceId: '0', trait: 'plain' },
  { instanceId: '188530139', trait: 'trade_locked' },
  { instanceId: '302028390', trait: 'renamed' },
  { instanceId: '480085569', trait: 'sealed' },
] as const;

export type InstanceTrait = (typeof instances)[number]['trait'];

/** One entry of the catalogue, in English; texts of other languages are derived from it. */
export type ItemKind = {
  readonly number: number;
  readonly hash: number;
  readonly classId: string;
  readonly name: string;
  readonly noun: string;
  readonly type: string;
  readonly rarity: (typeof rarities)[number];
  readonly quality: (typeof qualities)[number];
  readonly place: string;
  readonly iconUrl: string;
  readonly stackable: boolean;
};

/** A kind of an application's catalogue; `number` from 0 to `kindCount` - 1. */
export function itemKind(app: App, number: number): ItemKind {
  const hash = hashText(seed, `${app.appId}/${number}`);
  const adjective = pick(adjectives, Math.floor(number / 80));
  const group = pick(itemTypes, Math.floor((number % 80) / 8));
  const noun = pick(group.nouns, number % 8);
  return {
    number,
    hash,
    classId: classId(app, number),
    name: `${adjective} ${noun}`,
    noun,
    type: group.type,
    rarity: pick(rarities, mix32(hash, 1)),
    quality: pick(qualities, mix32(hash, 2) % 7 < 4 ? 0 : mix32(hash, 3)),
    place: pick(places, mix32(hash, 4)),
    iconUrl: iconUrl(hash),
    stackable: isStackable(number),
  };
}

/** The class id of a kind: stable over seeds, different for each application. */
export function classId(app: App, number: number): string {
  return `${310_000_000 + (app.appId % 1000) * 1_000_000 + number * 7}`;
}

/** Materials come in stacks; everything else one by one. */
export function isStackable(number: number): boolean {
  return number % 80 >= 72;
}

const iconAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** As long as the platform's own opaque icon paths, which are a good part of a page's weight. */
function iconUrl(hash: number): string {
  let text = '-9a81dlWLwJ2UUGcVs_nsVtzdOEdtWwKGZZLQHTxDZ7I56KU0Zwwo4NUX4oFJZEHLb';
  for (let word = 0; word < 30; word += 1) {
    let bits = mix32(hash, 100 + word);
    for (let letter = 0; letter < 5; letter += 1) {
      text += iconAlphabet.charAt(bits & 63);
      bits >>>= 6;
    }
  }
  return text;
}
