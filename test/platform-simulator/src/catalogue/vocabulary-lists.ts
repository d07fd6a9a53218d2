/** English words the catalogue is written with. Their order is part of what the seed determines. */
const words = (text: string): readonly string[] => text.split(' ');

/** 50 x 80 = 4,000 item kinds for every application. */
export const adjectives = words(
  'Amber Ancient Ashen Azure Blazing Bitter Carbon Copper Cobalt Crimson Crystal Dusky Ember Emerald Faded Feral Forged Frosted Gilded Glacial Golden Granite Hollow Howling Ivory Jade Lunar Marble Molten Neon Noble Obsidian Pale Phantom Polished Quiet Radiant Rusted Sable Scarlet Silent Silver Solar Spectral Storm Tarnished Tidal Twilight Verdant Violet',
);

export const itemTypes = [
  {
    type: 'Rifle',
    nouns: words('Carbine Longshot Marksman Repeater Sentinel Vanguard Warden Wolf'),
  },
  { type: 'Pistol', nouns: words('Derringer Falcon Viper Sidearm Duelist Hornet Raptor Sparrow') },
  { type: 'Knife', nouns: words('Blade Dagger Fang Karambit Stiletto Talon Cutlass Machete') },
  { type: 'Gloves', nouns: words('Gauntlets Grips Handwraps Knuckles Mitts Bracers Cuffs Fists') },
  { type: 'Hat', nouns: words('Beret Crown Fedora Helm Hood Mask Visor Tricorne') },
  { type: 'Coat', nouns: words('Cloak Duster Jacket Mantle Parka Poncho Robe Vest') },
  { type: 'Crate', nouns: words('Casket Chest Coffer Crate Locker Parcel Strongbox Trunk') },
  { type: 'Sticker', nouns: words('Badge Crest Decal Emblem Insignia Patch Sigil Stamp') },
  { type: 'Card', nouns: words('Ace Herald Joker Knight Oracle Queen Sage Tower') },
  { type: 'Material', nouns: words('Alloy Cloth Gemstone Ingot Leather Resin Scrap Shard') },
] as const;

export const rarities = [
  { internal: 'Rarity_Common', name: 'Common', color: 'b0c3d9' },
  { internal: 'Rarity_Uncommon', name: 'Uncommon', color: '5e98d9' },
  { internal: 'Rarity_Rare', name: 'Rare', color: '4b69ff' },
  { internal: 'Rarity_Mythical', name: 'Mythical', color: '8847ff' },
  { internal: 'Rarity_Legendary', name: 'Legendary', color: 'd32ce6' },
  { internal: 'Rarity_Ancient', name: 'Ancient', color: 'eb4b4b' },
] as const;

export const qualities = [
  { internal: 'normal', name: 'Normal', color: 'd2d2d2' },
  { internal: 'strange', name: 'Counted', color: 'cf6a32' },
  { internal: 'vintage', name: 'Vintage', color: '476291' },
  { internal: 'tournament', name: 'Souvenir', color: 'ffd700' },
] as const;

export const exteriors = words('Pristine Light Tested Worn Scarred');

export const places = words(
  'Canals Cathedral Citadel Docks Foundry Gardens Harbor Highlands Marshes Mines Observatory Outpost Quarry Ruins Shipyard Summit Temple Tundra Vault Wastes',
);

export const loreSentences = [
  'It was recovered from the old {place} long after the last guard had left, and nobody has claimed it since.',
  'Painted by hand with a thin layer of {adjective} lacquer, then sealed against the rain of the {place}.',
  'Those who carried it through the {place} speak of a faint {adjective} glow before every storm.',
  'The maker left no name, only a small mark that collectors of the {place} learned to look for.',
  'A gift for every veteran of the {place} campaign, given once and never made again.',
  'Its edge has been restored so many times that only the {adjective} grip is thought to be original.',
  'Found in a shipment that the {place} never ordered and the harbor master refused to sign for.',
  'Scratched, patched and still trusted: a {adjective} companion on the long road home.',
  'Part of a set of nine; the other eight are said to be hidden below the {place}.',
  'The pattern follows the {adjective} lights seen above the {place} in the coldest week of the year.',
] as const;
