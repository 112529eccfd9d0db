import { useRef, useState, type ReactNode } from 'react';
import { Input, Label, Text, TextField } from 'react-aria-components';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { say } from './toast.tsx';
import { t } from '../texts/text.ts';

interface CopyFieldProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string;
  /** By the button or by the keys of the browser. */
  readonly onCopied?: () => void;
}

/** A text to copy, e.g. a token that is shown once. */
export function CopyField({ label, value, note, onCopied }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      onCopied?.();
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
        <Input
          ref={input}
          className="input mono"
          onFocus={(event) => event.currentTarget.select()}
          onCopy={() => onCopied?.()}
        />
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

/**
 * What keeps a dialog open until its secret was copied.
 * @param secret undefined: there is none. @param close the button that closes it nevertheless.
 */
export function useShownOnce(secret: string | undefined, close: string) {
  const [copied, setCopied] = useState<string>();
  return {
    holds:
      copied === secret
        ? undefined
        : t('It is not copied yet, and is shown only now. Copy it, or press {close}.', { close }),
    onCopied: () => setCopied(secret),
  };
}

interface SecretDialogProps extends Omit<CopyFieldProps, 'onCopied'> {
  readonly title: string;
  readonly onClose: () => void;
  /** Above the secret. */
  readonly children: ReactNode;
}

/** A secret that is shown once: one key does not lose it. */
export function SecretDialog({ title, onClose, children, ...secret }: SecretDialogProps) {
  const { holds, onCopied } = useShownOnce(secret.value, t('Done'));
  return (
    <Dialog title={title} onClose={onClose} holds={holds}>
      <div className="stack">
        {children}
        <CopyField {...secret} onCopied={onCopied} />
        <div className="row end">
          <Button onPress={onClose}>{t('Done')}</Button>
        </div>
      </div>
    </Dialog>
  );
}
