type Props<Key extends string> = {
  readonly label: string;
  /** The keys of the choices with their texts, in the order of the buttons. */
  readonly options: Readonly<Record<Key, string>>;
  readonly chosen: Key;
  readonly choose: (key: Key) => void;
};

/** A row of buttons, one of them pressed. */
export function Choices<Key extends string>({ label, options, chosen, choose }: Props<Key>) {
  return (
    <fieldset class="choices">
      <legend class="hidden">{label}</legend>
      {(Object.entries(options) as [Key, string][]).map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === chosen} onClick={() => choose(key)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
