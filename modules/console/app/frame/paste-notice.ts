import { useEffect } from 'react';
import { numberText } from '../design/amount.ts';
import { say } from '../design/toast.tsx';
import { t } from '../texts/text.ts';

/** Says when a field takes only the beginning of a pasted text. The browser cuts it without a word, and of a log the end is what matters. */
export function usePasteNotice(): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const { target } = event;
      const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (event.defaultPrevented || !isField || target.maxLength < 0) return;
      const replaced = (target.selectionEnd ?? 0) - (target.selectionStart ?? 0);
      const room = Math.max(0, target.maxLength - target.value.length + replaced);
      const { length } = event.clipboardData?.getData('text/plain') ?? '';
      if (length > room)
        say(
          t(
            'Only {room} of {length} pasted characters fit into this field. Attach a longer text as a file.',
            {
              room: numberText(room),
              length: numberText(length),
            },
          ),
        );
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
}
