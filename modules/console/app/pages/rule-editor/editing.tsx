import { createContext, useContext, useState, type ReactNode } from 'react';
import { Choice, Check, Field, type Option } from '../../design/fields.tsx';
import { localText, timeOfText } from './cta-words.ts';
import { pathText, textsOf, valueAt, type Json, type Path } from './json-path.ts';
import { t } from '../../texts/text.ts';

/** The document that the fields of a form are about. */
interface Editing {
  readonly doc: Json;
  /** undefined removes the value. */
  readonly change: (path: Path, value: unknown) => void;
  readonly isReadOnly: boolean;
  /** The fault at a path, in the server's notation. */
  readonly faultAt: (path: string) => string | undefined;
}

const EditingContext = createContext<Editing>({
  doc: {},
  change: () => undefined,
  isReadOnly: true,
  faultAt: () => undefined,
});

export const EditingOf = ({ value, children }: { readonly value: Editing; readonly children: ReactNode }) => (
  <EditingContext value={value}>{children}</EditingContext>
);

export const useEditing = (): Editing => useContext(EditingContext);

interface AtProps {
  readonly path: Path;
  readonly label: string;
  readonly note?: string;
}

/** The value at a path of the document, and what a field for it needs. */
export function useAt(path: Path) {
  const { doc, change, isReadOnly, faultAt } = useEditing();
  return {
    value: valueAt(doc, path),
    set: (value: unknown) => change(path, value),
    isReadOnly,
    error: faultAt(pathText(path)),
  };
}

/** A text. @param whenEmpty what an empty field means; left out: an empty text. */
export function TextAt({
  path,
  lines,
  whenEmpty = '',
  ...rest
}: AtProps & { readonly lines?: number; readonly whenEmpty?: '' | null | undefined }) {
  const { value, set, isReadOnly, error } = useAt(path);
  return (
    <Field
      {...rest}
      {...(lines !== undefined && { lines })}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(text) => set(text === '' ? whenEmpty : text)}
      isReadOnly={isReadOnly}
      error={error}
    />
  );
}

/** A text that is not there while the field is empty. */
export const OptionalTextAt = (props: AtProps) => <TextAt {...props} whenEmpty={undefined} />;

/** A number. Other input stays as typed, so that the check reports it. */
export function NumberAt({ path, ...rest }: AtProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  return (
    <Field
      {...rest}
      inputMode="numeric"
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(text) => set(numberOf(text))}
      isReadOnly={isReadOnly}
      error={error ?? (typeof value === 'string' ? t('must be a number') : undefined)}
    />
  );
}

export const numberOf = (text: string): number | string | undefined =>
  text.trim() === '' ? undefined : /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text;

/** In the place of a moment of which a part is missing. As with what is no number, the check reports it. */
const incomplete = 'incomplete';

/** A moment, in the time zone of the browser. */
export function TimeAt({ path, whenEmpty, ...rest }: AtProps & { readonly whenEmpty: null | undefined }) {
  const { value, set, isReadOnly, error } = useAt(path);
  const text = localText(value);
  return (
    <Field
      {...rest}
      // Safari shows the present moment in an empty field of a time, which nobody could tell from a start in a CTA that is only read.
      type={isReadOnly && text === '' ? 'text' : 'datetime-local'}
      value={text}
      onChange={(typed) => set(timeOfText(typed) ?? whenEmpty)}
      // A browser reports a date without its time as an empty field, and reports nothing if the field was empty before.
      onBlur={({ target }) => {
        if (isReadOnly || !(target instanceof HTMLInputElement)) return;
        if (target.validity.badInput) set(incomplete);
        else if (value === incomplete) set(whenEmpty);
      }}
      isReadOnly={isReadOnly}
      error={typeof value === 'string' ? t('The date or the time was missing. Type both.') : error}
    />
  );
}

export function CheckAt({ path, children }: { readonly path: Path; readonly children: ReactNode }) {
  const { value, set, isReadOnly } = useAt(path);
  return (
    <Check
      isSelected={value === true}
      onChange={(chosen) => set(chosen || undefined)}
      isDisabled={isReadOnly}
    >
      {children}
    </Check>
  );
}

interface ChoiceAtProps extends AtProps {
  readonly options: readonly Option[];
  /** What `noneName` stands for; without a name there is no such option. */
  readonly whenNone?: null | undefined;
  readonly noneName?: string;
}

export function ChoiceAt({ path, label, options, whenNone, noneName }: ChoiceAtProps) {
  const { value, set, isReadOnly, error } = useAt(path);
  const chosen = value === undefined || value === null ? '' : String(value);
  const all = [
    ...(noneName === undefined ? [] : [{ id: '', name: noneName }]),
    ...options,
    ...(chosen === '' || options.some(({ id }) => id === chosen) ? [] : [{ id: chosen, name: chosen }]),
  ];
  return (
    <div className="stack tight">
      <Choice
        label={label}
        options={all}
        value={chosen === '' && noneName === undefined ? null : chosen}
        onChange={(id) => set(id === '' ? whenNone : id)}
        isDisabled={isReadOnly}
      />
      {error !== undefined && <span className="field-error">{error}</span>}
    </div>
  );
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** A list of texts, one in a line. */
export function ListAt({
  path,
  whenEmpty,
  note,
  ...rest
}: AtProps & { readonly whenEmpty?: readonly string[] }) {
  const { value, set, isReadOnly, error } = useAt(path);
  const { faultAt } = useEditing();
  const values = textsOf(value);
  const [typed, setTyped] = useState(() => values.join('\n'));
  // The typed text stays, with its empty lines, as long as it is equivalent to the stored value.
  const shown = linesOf(typed).join('\n') === values.join('\n') ? typed : values.join('\n');
  const first = values
    .map((_, index) => faultAt(pathText([...path, index])))
    .find((fault) => fault !== undefined);
  return (
    <Field
      {...rest}
      note={note ?? t('One in a line.')}
      lines={Math.min(6, Math.max(2, shown.split('\n').length))}
      value={shown}
      onChange={(text) => {
        setTyped(text);
        const lines = linesOf(text);
        set(lines.length === 0 ? whenEmpty : lines);
      }}
      isReadOnly={isReadOnly}
      error={error ?? first}
    />
  );
}

interface CommitFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (text: string) => void;
  readonly isReadOnly: boolean;
  readonly error?: string | undefined;
  readonly note?: string;
}

/** A text that is applied when the field loses focus or Enter is pressed, because other parts of the document refer to it. */
export function CommitField({ value, onCommit, ...rest }: CommitFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const commit = () => {
    if (typed !== null && typed.trim() !== '' && typed.trim() !== value) onCommit(typed.trim());
    setTyped(null);
  };
  return (
    <Field
      {...rest}
      value={typed ?? value}
      onChange={setTyped}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
