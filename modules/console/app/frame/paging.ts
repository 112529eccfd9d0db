import { useAddress } from './router.tsx';

/** Rows of a page of a list. */
const pageSize = 50;

/**
 * The page of a list, in the address. It begins anew when another list is chosen.
 * @param name of the parameter, where a page has several lists.
 */
export function usePaging(name = 'offset') {
  const [state, change] = useAddress();
  const text = state.get(name) ?? '';
  const offset = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return {
    page: { limit: pageSize, offset },
    onOffset: (next: number) => change({ [name]: next === 0 ? null : String(next) }, { push: true }),
  };
}
