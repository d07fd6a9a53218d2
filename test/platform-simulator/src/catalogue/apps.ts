/** One application of the platform, with the contexts that a stranger can read. */
export type App = {
  readonly appId: number;
  readonly contextIds: readonly number[];
  /** Contexts that exist but show their items to the owner only: a stranger sees them empty. */
  readonly ownerOnlyContextIds: readonly number[];
  readonly title: string;
  readonly hasLargeIcons: boolean;
  /** Weapons carry a wear and a pattern, delivered as asset properties. */
  readonly hasWear: boolean;
};

const list: readonly App[] = [
  app(440, [2], 'Fortress Hat Works', { hasLargeIcons: true }),
  app(570, [2], 'Ancient Arena', { hasLargeIcons: true }),
  app(730, [2], 'Counter Range', { hasWear: true, ownerOnlyContextIds: [16] }),
  app(753, [1, 3, 6, 7], 'Platform Community', { hasLargeIcons: true }),
  app(252490, [2], 'Oxide Island', {}),
  app(578080, [2], 'Battle Fields', {}),
];

export const apps: ReadonlyMap<number, App> = new Map(list.map((entry) => [entry.appId, entry]));

function app(
  appId: number,
  contextIds: readonly number[],
  title: string,
  traits: Partial<Pick<App, 'hasLargeIcons' | 'hasWear' | 'ownerOnlyContextIds'>>,
): App {
  return {
    appId,
    contextIds,
    title,
    ownerOnlyContextIds: traits.ownerOnlyContextIds ?? [],
    hasLargeIcons: traits.hasLargeIcons ?? false,
    hasWear: traits.hasWear ?? false,
  };
}
