import { useRef } from 'react';
import { Input, Label, Text, TextField } from 'react-aria-components';
import { Button } from './button.tsx';
import { say } from './toast.tsx';
import { t } from '../texts/text.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
}

/** A text to copy, e.g. a token that is shown once. */
export function CopyField({ label, value, note }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      say(t('Copied.'));
    } catch {
      // A browser lets a page write to the clipboard only over https or from this machine.
      input.current?.select();
      say(t('The browser does not allow copying. The text is selected: press Ctrl C.'));
    }
  };
  return (
    <TextField className="field" value={value} isReadOnly>
      <Label>{label}</Label>
      <div className="row nowrap">
        <Input ref={input} className="input mono" onFocus={(event) => event.currentTarget.select()} />
        <Button onPress={() => void copy()}>{t('Copy')}</Button>
      </div>
      {note !== undefined && (
        <Text slot="description" className="field-note">
          {note}
        </Text>
      )}
    </TextField>
  );
}
