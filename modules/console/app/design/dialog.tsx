import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { isSignedOutError } from '../api/call.ts';
import { useOneAtATime } from '../api/one-at-a-time.ts';
import { messageOf } from '../api/queries.ts';
import type { Typed } from '../api/unsaved.ts';
import { Button } from './button.tsx';
import { useFocusAfterDialog } from './focus-lost.ts';
import { Alert, Left, SignInButton } from './states.tsx';
import { sayError } from './toast.tsx';
import { t } from '../texts/text.ts';

interface DialogProps {
  readonly title: string;
  /** Left out: a dialog that is mounted is open. */
  readonly isOpen?: boolean;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** What would be lost without a way back: only a button closes it, and Escape and a click outside say this. */
  readonly holds?: string | undefined;
  readonly children: ReactNode;
}

/** A dialog over the page. Escape closes it, and the focus returns to where it was. */
export function Dialog({ isOpen = true, onClose, wide = false, holds, children, title }: DialogProps) {
  const [wasLeft, setLeft] = useState(false);
  const leave = () => (holds === undefined ? onClose() : setLeft(true));
  return (
    <ModalOverlay className="overlay" isOpen={isOpen} onOpenChange={(open) => !open && leave()} isDismissable>
      <Modal className={wide ? 'modal wide' : 'modal'}>
        <DialogContent title={title} onClose={leave}>
          {wasLeft && holds !== undefined && <Alert kind="warning">{holds}</Alert>}
          {children}
        </DialogContent>
      </Modal>
    </ModalOverlay>
  );
}

function DialogContent({ title, onClose, children }: Pick<DialogProps, 'title' | 'onClose' | 'children'>) {
  const dialog = useRef<HTMLElement>(null);
  useFocusAfterDialog();
  useEffect(() => {
    // The element that had the focus is gone or disabled: without this no key would reach the dialog any more.
    const reach = ({ key }: KeyboardEvent) => {
      const isOnTop = dialog.current?.closest('[inert], [aria-hidden="true"]') === null;
      if (!isOnTop || document.activeElement !== document.body) return;
      dialog.current?.focus();
      if (key === 'Escape') onClose();
    };
    document.addEventListener('keydown', reach, true);
    return () => document.removeEventListener('keydown', reach, true);
  }, [onClose]);
  return (
    <AriaDialog ref={dialog} className="dialog">
      <Heading slot="title" level={2}>
        {title}
      </Heading>
      {children}
    </AriaDialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  /** Left out: a dialog that is mounted is open. */
  readonly isOpen?: boolean;
  readonly onClose: () => void;
  /** The word on the button, e.g. "Delete section". */
  readonly action: string;
  readonly kind?: 'primary' | 'danger';
  /** Closes the dialog on success; an error is shown. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDisabled?: boolean;
  readonly wide?: boolean;
  /** Its input. Cancel discards it; after Escape it is kept. */
  readonly form?: Pick<Typed<unknown>, 'wasLeft' | 'forget'>;
  readonly children: ReactNode;
}

/** A dialog with one action. Errors are shown inside it, and no input is lost. */
export function ActionDialog({
  title,
  isOpen = true,
  onClose,
  action,
  kind = 'primary',
  onConfirm,
  isDisabled = false,
  wide = false,
  form,
  children,
}: ConfirmProps) {
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const oneAtATime = useOneAtATime();
  const wasClosed = useRef(false);
  const close = () => {
    wasClosed.current = true;
    setProblem(null);
    onClose();
  };
  const confirm = async () => {
    wasClosed.current = false;
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      form?.forget();
      // By now another dialog may be open in its place.
      if (!wasClosed.current) onClose();
    } catch (error) {
      // Whoever left the dialog meanwhile would take it for stored.
      if (wasClosed.current) sayError(error);
      else setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} wide={wide}>
      <form
        className="stack"
        // The button is not disabled meanwhile: it would lose the focus.
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isDisabled) void oneAtATime(confirm);
        }}
      >
        {form?.wasLeft && <Left />}
        {children}
        {problem !== null && (
          <Alert kind="error">
            {messageOf(problem)} {isSignedOutError(problem) && <SignInButton />}
          </Alert>
        )}
        <div className="row end">
          <Button
            onPress={() => {
              form?.forget();
              close();
            }}
          >
            {t('Cancel')}
          </Button>
          <Button type="submit" kind={kind} isDisabled={isDisabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
