import type { ReactNode } from 'react';
import {
  Button,
  Checkbox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';
import { Icon } from './marks/icon.tsx';
import { t } from '../texts/text.ts';

interface FieldProps extends Omit<TextFieldProps, 'children' | 'className' | 'style'> {
  readonly label: string;
  /** A hint before typing. */
  readonly note?: string;
  /** What is wrong, and how to repair it. */
  readonly error?: string | undefined;
  readonly placeholder?: string;
  /** Lines: an area instead of one line. */
  readonly lines?: number;
}

/**
 * The last moment of a field of a date. Without it a browser takes six digits for a year, so what is typed next to 2028 becomes part of the
 * year, and JavaScript reads no such date.
 */
const latest: Readonly<Record<string, string>> = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59' };

/** A text field with its label. An error does not prevent the form from being sent again: the server decides. */
export const Field = ({ label, note, error, placeholder, lines, ...rest }: FieldProps) => (
  <TextField {...rest} className="field" isInvalid={error !== undefined} validationBehavior="aria">
    <Label>{label}</Label>
    {lines === undefined ? (
      <Input
        className="input"
        max={latest[rest.type ?? '']}
        {...(placeholder !== undefined && { placeholder })}
      />
    ) : (
      <TextArea className="input" rows={lines} {...(placeholder !== undefined && { placeholder })} />
    )}
    {note !== undefined && (
      <Text slot="description" className="field-note">
        {note}
      </Text>
    )}
    <FieldError className="field-error">{error}</FieldError>
  </TextField>
);

export interface Option {
  readonly id: string;
  readonly name: string;
}

interface ChoiceProps {
  readonly label: string;
  /** The label is for screen readers only. */
  readonly hideLabel?: boolean;
  readonly options: readonly Option[];
  /** The id of the chosen option; null: none. */
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
}

/** One of a list. */
export const Choice = ({
  label,
  hideLabel = false,
  options,
  value,
  onChange,
  placeholder = t('Choose'),
  isDisabled = false,
}: ChoiceProps) => (
  <Select
    className="field"
    value={value}
    onChange={(key) => key !== null && onChange(String(key))}
    isDisabled={isDisabled}
    placeholder={placeholder}
    {...(hideLabel && { 'aria-label': label })}
  >
    {!hideLabel && <Label>{label}</Label>}
    <Button className="button select-button">
      <SelectValue className="cut" />
      <Icon of="open" size={14} />
    </Button>
    <Popover className="popover">
      <ListBox className="menu" items={options}>
        {({ id, name }) => (
          <ListBoxItem id={id} textValue={name} className="menu-item">
            {name}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  </Select>
);

interface CheckProps {
  readonly children: ReactNode;
  readonly isSelected: boolean;
  readonly onChange: (selected: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A check box with its text. */
export const Check = ({ children, ...rest }: CheckProps) => (
  <Checkbox {...rest} className="check">
    <span className="check-box" aria-hidden="true">
      <Icon of="check" size={12} />
    </span>
    {children}
  </Checkbox>
);

interface FileFieldProps {
  readonly id: string;
  readonly label: string;
  /** The names and media types of the browser's dialog. */
  readonly accept: string;
  readonly note?: string;
  readonly isDisabled?: boolean;
  readonly onChoose: (file: File | undefined) => void;
}

/** One file. */
export const FileField = ({ id, label, accept, note, isDisabled = false, onChoose }: FileFieldProps) => (
  <div className="field">
    <label htmlFor={id}>{label}</label>
    <input
      id={id}
      type="file"
      accept={accept}
      disabled={isDisabled}
      // A browser reports no change if the same file is chosen again, after it was repaired.
      onClick={(event) => {
        event.currentTarget.value = '';
      }}
      onChange={(event) => onChoose(event.target.files?.[0])}
    />
    {note !== undefined && <span className="field-note">{note}</span>}
  </div>
);
