import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Permission } from '../api/wire-types.ts';
import { Empty } from './notices.tsx';

/** A section with its heading, and what acts on it beside that. */
export function Panel({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** In place of a room, or a part of one, that the key may not see. */
export function Lacking({ title, permission }: { title: string; permission: Permission }) {
  return (
    <Panel title={title}>
      <Empty>
        The key lacks the permission <code>{permission}</code>.
      </Empty>
    </Panel>
  );
}

export function Figure({
  label,
  value,
  note,
}: {
  label: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}) {
  return (
    <div class="figure">
      <dt>{label}</dt>
      <dd>
        <span class="value">{value}</span>
        {note !== undefined && <span class="note">{note}</span>}
      </dd>
    </div>
  );
}

/** A table that scrolls within its own frame, which the keyboard can reach. */
export function Table({
  caption,
  columns,
  children,
}: {
  caption: string;
  columns: readonly string[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls is reached by the keyboard.
    <section class="table-frame" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={column.endsWith('#') ? 'number' : undefined}>
                {column === '' ? <span class="unseen">Actions</span> : column.replace(/ ?#$/, '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** A secret that is shown once: it is gone when it is dismissed or the room is left. */
export function ShownOnce({
  what,
  secret,
  onDone,
}: {
  what: string;
  secret: string;
  onDone: () => void;
}) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'refused'>('no');
  const copy = () =>
    // Outside of a secure context there is no clipboard: the text can be selected.
    navigator.clipboard === undefined
      ? setCopied('refused')
      : void navigator.clipboard.writeText(secret).then(
          () => setCopied('yes'),
          () => setCopied('refused'),
        );
  return (
    <div class="notice good" role="status">
      <p>
        <strong>{what}</strong> It is shown once: store it now.
      </p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={copy}>
          {copied === 'yes' ? 'Copied' : 'Copy'}
        </button>
        <button type="button" onClick={onDone}>
          I have stored it
        </button>
        {copied === 'refused' && <span>Select the text and copy it.</span>}
      </p>
    </div>
  );
}

/** Asks once more before something that cannot be taken back. */
export function ConfirmButton({
  label,
  confirm,
  isBusy,
  onConfirm,
}: {
  label: string;
  confirm: string;
  isBusy?: boolean;
  onConfirm: () => void;
}) {
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking) {
    return (
      <button type="button" disabled={isBusy} onClick={() => setIsAsking(true)}>
        {label}
      </button>
    );
  }
  return (
    <>
      <button
        type="button"
        class="danger"
        onClick={() => {
          setIsAsking(false);
          onConfirm();
        }}
      >
        {confirm}
      </button>
      <button type="button" onClick={() => setIsAsking(false)}>
        Keep
      </button>
    </>
  );
}
