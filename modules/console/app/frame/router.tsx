import { useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/** The id at a place of the address; null unless it is a number. */
export const idOf = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : null;

/**
 * The state of a page in its address, so that reloads, links and the back button keep it.
 * @example const [state, change] = useAddress(); change({ query: 'label:smoke' });
 */
export function useAddress() {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const state = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback(
    (values: Readonly<Record<string, string | null>>, { push = false } = {}) => {
      const next = new URLSearchParams(search);
      for (const [name, value] of Object.entries(values))
        if (value === null || value === '') next.delete(name);
        else next.set(name, value);
      const text = next.toString();
      navigate(text === '' ? path : `${path}?${text}`, { replace: !push });
    },
    [search, path, navigate],
  );
  return [state, change] as const;
}

/**
 * Whether the dialog for a new record is open: by a button of the page, or at once when the address has `?new=1`, as the commands of the
 * palette do. The address keeps its other values only, so going back does not open the dialog again.
 */
export function useNewDialog() {
  const [state, change] = useAddress();
  const isAsked = state.has('new');
  const [isOpen, setOpen] = useState(isAsked);
  useEffect(() => {
    if (!isAsked) return;
    setOpen(true);
    change({ new: null });
  }, [isAsked, change]);
  return [isOpen, setOpen] as const;
}
