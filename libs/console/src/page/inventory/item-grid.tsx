import { useEffect, useRef, useState } from 'preact/hooks';
import { type ItemChanges, markOf } from './changes.ts';
import { type Item, initialsOf, titleOf } from './items.ts';
import { type Viewport, visibleRows } from './visible-rows.ts';

const rowHeight = 64;
const columnWidthMin = 270;
const pictureSize = 96;

/** Thousands of items, of which those in view are rendered. */
export function ItemGrid({
  items,
  changes,
  picturesUrl,
}: {
  items: readonly Item[];
  changes: ItemChanges | null;
  picturesUrl: string | null;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>({
    scrollTop: 0,
    height: 600,
    rowHeight,
    columns: 1,
  });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const measure = () =>
      setViewport({
        scrollTop: element.scrollTop,
        height: element.clientHeight,
        rowHeight,
        columns: Math.max(1, Math.floor(element.clientWidth / columnWidthMin)),
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  const { from, to, offsetTop, heightTotal } = visibleRows(items.length, viewport);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls is reached by the keyboard.
    <section class="items" ref={frame} tabIndex={0} aria-label="Items">
      <div style={{ height: `${heightTotal}px` }}>
        <ul
          style={{
            transform: `translateY(${offsetTop}px)`,
            gridTemplateColumns: `repeat(${viewport.columns}, minmax(0, 1fr))`,
          }}
        >
          {items.slice(from, to).map((item, index) => (
            <ItemCard
              key={item.asset.assetid}
              item={item}
              position={from + index + 1}
              total={items.length}
              changes={changes}
              picturesUrl={picturesUrl}
            />
          ))}
        </ul>
      </div>
    </section>
  );
}

function ItemCard({
  item,
  position,
  total,
  changes,
  picturesUrl,
}: {
  item: Item;
  position: number;
  total: number;
  changes: ItemChanges | null;
  picturesUrl: string | null;
}) {
  const { asset, kind } = item;
  const title = titleOf(item);
  const mark = markOf(item, changes);
  const before = changes?.changed.get(asset.assetid);
  return (
    <li class={mark ?? undefined} aria-posinset={position} aria-setsize={total}>
      {picturesUrl !== null && kind?.icon ? (
        <img
          src={`${picturesUrl}${kind.icon}/${pictureSize}fx${pictureSize}f`}
          alt=""
          loading="lazy"
          decoding="async"
          referrerpolicy="no-referrer"
          width={44}
          height={44}
        />
      ) : (
        <span class="initials" aria-hidden="true">
          {initialsOf(title)}
        </span>
      )}
      <span class="words">
        <span class="title" title={title}>
          {title}
        </span>
        <span class="type">
          {mark !== null && <strong class="mark">{mark} · </strong>}
          {kind?.type ?? `asset ${asset.assetid}`}
          {kind?.tradable === 0 && ' · not tradable'}
        </span>
      </span>
      {(asset.amount !== '1' || before !== undefined) && (
        <span class="amount">
          {before !== undefined && before !== asset.amount && <s>{before}</s>} ×{asset.amount}
        </span>
      )}
    </li>
  );
}
