import { useAddress } from './router.tsx';

/**
 * The page of a list, in the address. It begins anew when another list is chosen.
 * @param name of the parameter, where a page has several lists.
 * @param limit rows of a page.
 */
export function usePaging(name = 'offset', limit = 50) {
  const [state, change] = useAddress();
  const text = state.get(name) ?? '';
  const page = { limit, offset: /^\d{1,9}$/.test(text) ? Number(text) : 0 };
  return {
    page,
    /** For the `Pager` of the list. */
    pager: {
      ...page,
      onOffset: (next: number, { replace = false } = {}) =>
        change({ [name]: next === 0 ? null : String(next) }, { push: !replace }),
    },
  };
}
