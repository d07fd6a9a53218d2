import { mix32, pick } from '../seeded-hash.ts';
import type { App } from './apps.ts';
import type { InstanceTrait, ItemKind } from './item-kinds.ts';
import { say } from './languages.ts';
import { adjectives, exteriors, loreSentences } from './vocabulary-lists.ts';

type DescriptionOf = {
  readonly app: App;
  readonly kind: ItemKind;
  readonly instance: { readonly instanceId: string; readonly trait: InstanceTrait };
  readonly language: string;
  /** Grows when the platform rewords its texts: lore lines change, ownership does not. */
  readonly textVersion: number;
};

/** One `descriptions` entry as the platform writes it, fields in its order. */
export function description(of: DescriptionOf): Record<string, unknown> {
  const { app, kind, instance, language } = of;
  const { trait } = instance;
  const locked = trait === 'trade_locked' || trait === 'sealed';
  const exterior = app.hasWear && !kind.stackable ? exteriorOf(kind) : undefined;
  const localName = say(language, kind.name);
  const localExterior = exterior ? ` (${say(language, exterior)})` : '';
  const marketHashName = exterior ? `${kind.name} (${exterior})` : kind.name;
  return {
    appid: app.appId,
    classid: kind.classId,
    instanceid: instance.instanceId,
    currency: 0,
    background_color: '',
    icon_url: kind.iconUrl,
    ...(app.hasLargeIcons ? { icon_url_large: `${kind.iconUrl.slice(0, -6)}_large` } : {}),
    descriptions: lines(of, exterior),
    ...(locked ? { owner_descriptions: ownerLines(kind) } : {}),
    tradable: locked ? 0 : 1,
    ...(kind.stackable ? {} : { actions: [inspectLink(of, 'S%owner_steamid%A%assetid%')] }),
    ...(trait === 'renamed' ? { fraudwarnings: [renamed(of)] } : {}),
    name: trait === 'renamed' ? renamed(of) : localName,
    name_color: kind.quality.color,
    type: say(language, `${kind.rarity.name} ${kind.type}`),
    market_name: `${localName}${localExterior}`,
    market_hash_name: marketHashName,
    ...(kind.stackable ? {} : { market_actions: [inspectLink(of, 'M%listingid%A%assetid%')] }),
    commodity: kind.stackable ? 1 : 0,
    market_tradable_restriction: 7,
    market_marketable_restriction: 7,
    marketable: trait === 'sealed' ? 0 : 1,
    ...(app.appId === 753 ? { market_fee_app: 440 + (kind.number % 90) * 10 } : {}),
    ...(trait === 'sealed' ? { sealed: 1, sealed_type: kind.number % 2 } : { sealed: 0 }),
    tags: tags(of, exterior),
  };
}

function exteriorOf(kind: ItemKind): string {
  return pick(exteriors, mix32(kind.hash, 5));
}

function renamed({ kind, language }: DescriptionOf): string {
  return say(language, `Renamed by its owner: My ${kind.noun}`);
}

function inspectLink({ app, kind, language }: DescriptionOf, target: string) {
  const proof = `${mix32(kind.hash, 6)}${mix32(kind.hash, 7)}`;
  return {
    link: `sim://rungame/${app.appId}/76500000000000000/+item_preview%20${target}D${proof}`,
    name: say(language, 'Inspect in the game'),
  };
}

function ownerLines(kind: ItemKind) {
  const lockedUntil = 1_790_000_000 + (kind.hash % 1_000) * 3_600;
  return [
    { type: 'html', value: ' ' },
    { type: 'bbcode', value: `[date]${lockedUntil}[/date]`, color: 'ff4040', name: 'trade_lock' },
  ];
}

function lines(of: DescriptionOf, exterior: string | undefined) {
  const { app, kind, language } = of;
  const line = (name: string, phrase: string, color?: string) => ({
    type: 'html',
    value: say(language, phrase),
    ...(color === undefined ? {} : { color }),
    name,
  });
  const blank = { type: 'html', value: ' ', name: 'blank' };
  const series = 1 + (kind.hash % 40);
  return [
    ...(exterior ? [line('exterior_wear', `Exterior: ${exterior}`), blank] : []),
    line('description', lore(of, 0)),
    blank,
    line('lore', `<i>${lore(of, 1)}</i>`),
    blank,
    line('itemset_name', `The ${kind.place} Collection, Series ${series}`, '9da1a9'),
    blank,
    line('sticker_info', stickerPanel(kind)),
    line('note', `Not usable in ${app.title} matches.`, '7ea9d1'),
  ];
}

function lore({ kind, textVersion }: DescriptionOf, line: number): string {
  const hash = mix32(kind.hash, 10 + line + textVersion * 2);
  return pick(loreSentences, hash)
    .replace('{place}', kind.place)
    .replace('{adjective}', pick(adjectives, mix32(hash, 1)).toLowerCase());
}

function stickerPanel(kind: ItemKind): string {
  const image = `sim/icons/stickers/${kind.classId}_${mix32(kind.hash, 8).toString(16)}.png`;
  return `<br><div id="sticker_info" class="sticker_info" style="border: 2px solid rgb(102, 102, 102); border-radius: 6px; width=100; margin:4px; padding:8px;"><center><img width=64 height=48 src="${image}"><br>${kind.type}: ${kind.noun}</center></div>`;
}

function tags({ app, kind, language }: DescriptionOf, exterior: string | undefined) {
  const tag = (category: string, internal: string, name: string, color?: string) => ({
    category,
    internal_name: internal,
    localized_category_name: say(language, category),
    localized_tag_name: say(language, name),
    ...(color === undefined ? {} : { color }),
  });
  return [
    tag('Type', `sim_type_${kind.type.toLowerCase()}`, kind.type),
    tag('Item', `sim_item_${kind.noun.toLowerCase()}`, kind.noun),
    tag('Set', `set_${kind.place.toLowerCase()}`, `The ${kind.place} Collection`),
    tag('Quality', kind.quality.internal, kind.quality.name, kind.quality.color),
    tag('Rarity', kind.rarity.internal, kind.rarity.name, kind.rarity.color),
    ...(exterior ? [tag('Exterior', `Wear_${exterior}`, exterior)] : []),
    ...(app.appId === 753 ? [tag('Game', `app_${kind.number % 90}`, 'Community Item')] : []),
  ];
}
