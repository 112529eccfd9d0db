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

/** A text field with its label. An error does not prevent the form from being sent again: the server decides. */
export const Field = ({ label, note, error, placeholder, lines, ...rest }: FieldProps) => (
  <TextField {...rest} className="field" isInvalid={error !== undefined} validationBehavior="aria">
    <Label>{label}</Label>
    {lines === undefined ? (
      <Input className="input" {...(placeholder !== undefined && { placeholder })} />
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
