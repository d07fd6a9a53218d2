import { useId } from 'preact/hooks';

/** What is passed on to the input. */
interface Input {
  readonly type?: 'text' | 'search' | 'number' | 'url' | 'password';
  readonly inputMode?: 'numeric';
  readonly required?: boolean;
  readonly min?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly placeholder?: string;
  readonly autocomplete?: 'off';
  readonly spellcheck?: boolean;
  readonly autofocus?: boolean;
}

export function TextField({
  label,
  hint,
  value,
  onValue,
  type = 'text',
  ...input
}: { label: string; hint?: string; value: string; onValue: (value: string) => void } & Input) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        // The types of Preact are a union by this; none of what is passed depends on it.
        type={type as 'text'}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
      {hint !== undefined && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

export function SelectField<Value extends string | number>({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onValue: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex];
          if (chosen) onValue(chosen[0]);
        }}
      >
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
