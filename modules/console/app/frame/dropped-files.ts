import { useEffect } from 'react';

/** A file that is dropped beside a field for files: the browser would open it in place of the page, with all that is typed there. */
export function useDropGuard(): void {
  useEffect(() => {
    const guard = (event: DragEvent) => {
      const isFile = event.dataTransfer?.types.includes('Files') === true;
      const isField = event.target instanceof HTMLInputElement && event.target.type === 'file';
      if (!isFile || isField || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
    };
    addEventListener('dragover', guard);
    addEventListener('drop', guard);
    return () => {
      removeEventListener('dragover', guard);
      removeEventListener('drop', guard);
    };
  }, []);
}
