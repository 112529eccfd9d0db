import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { completedQueries } from '../../../testmgmt/query/query-completion.ts';
import { Button } from '../design/button.tsx';
import { Key } from '../design/marks/key.tsx';
import { useKeys } from '../frame/keys.ts';
import { completedFields, completedValues, queryExamples, type QueryTool } from './query-text.ts';
import { isWholeQuery } from './query-whole.ts';
import './query.css';
import { t } from '../texts/text.ts';

interface QueryBoxProps {
  /** The tool whose `query` this is: its fields are offered. */
  readonly tool: QueryTool;
  readonly label: string;
  readonly value: string;
  readonly onApply: (query: string) => void;
  /** Each text as it is typed, before it is applied: what a button beside the box does follows it. */
  readonly onType?: (text: string) => void;
  /** The text applies with each letter: for what only counts. */
  readonly isLive?: boolean;
  /** A whole query, a moment after it was typed. Without it the text applies by Enter or by the button. */
  readonly onPause?: (query: string) => void;
  /** Names of the project by field, e.g. its labels; and its own fields, also those without a list of values. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** What the server found wrong with it. */
  readonly error?: string | undefined;
  /** Beside the box: the saved queries. */
  readonly children?: ReactNode;
}

const none = {};

/** After the last letter: shorter, and each letter of a word would be searched for. */
const pauseMs = 150;

/** A search box for the query language. It offers how a query may go on; Enter applies it, `/` goes to it. */
export function QueryBox({
  tool,
  label,
  value,
  onApply,
  onType,
  isLive = false,
  onPause,
  values = none,
  error,
  children,
}: QueryBoxProps) {
  const [text, setText] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The typed text has spaces that the query drops.
    setText((typed) => (typed.trim() === value ? typed : value));
  }, [value]);
  const pause = useRef(onPause);
  pause.current = onPause;
  const names = useRef(values);
  names.current = values;
  useEffect(() => {
    const typed = text.trim();
    if (
      typed === value ||
      pause.current === undefined ||
      !isWholeQuery(tool, typed, Object.keys(names.current), Date.now())
    )
      return undefined;
    const timer = setTimeout(() => pause.current?.(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [text, value, tool]);
  const type = (typed: string) => {
    setText(typed);
    onType?.(typed.trim());
    if (isLive) onApply(typed.trim());
  };
  useKeys({ '/': () => input.current?.focus() });
  const options = [
    ...completedQueries(tool, text),
    ...completedFields(text, values),
    ...completedValues(text, values),
  ]
    .filter((one) => one !== text)
    .slice(0, 30)
    .map((id) => ({ id }));
  const apply = (query: string) => {
    type(query);
    onApply(query.trim());
  };
  return (
    <div className="query">
      <div className="row nowrap">
        <ComboBox
          aria-label={label}
          className="grow with-key"
          allowsCustomValue
          menuTrigger="input"
          inputValue={text}
          onInputChange={type}
          items={options}
          onSelectionChange={(key) => {
            if (key !== null) type(String(key));
          }}
          isInvalid={error !== undefined}
        >
          <Input
            ref={input}
            className="input"
            placeholder={t('Words, or a query: {queryExamples}', { queryExamples: queryExamples[tool] })}
            spellCheck={false}
            onKeyDown={(event) => {
              const isChoosing = input.current?.hasAttribute('aria-activedescendant') === true;
              if (event.key === 'Enter' && !isChoosing) {
                // In a dialog Enter would submit the form.
                event.preventDefault();
                apply(text);
              }
              if (event.key === 'Escape') input.current?.blur();
            }}
          />
          {text === '' && <Key of="/" />}
          <Popover className="popover" placement="bottom start">
            <ListBox<{ readonly id: string }> className="menu" aria-label={t('How it may go on')}>
              {({ id }) => (
                <ListBoxItem id={id} textValue={id} className="menu-item mono">
                  {id}
                </ListBoxItem>
              )}
            </ListBox>
          </Popover>
        </ComboBox>
        {!isLive && onPause === undefined && <Button onPress={() => apply(text)}>{t('Search')}</Button>}
        {value !== '' && !isLive && (
          <Button kind="quiet" onPress={() => apply('')}>
            {t('Clear')}
          </Button>
        )}
        {children}
      </div>
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
