import { useEffect, useRef, useState } from 'react';
import { useAction, useSession, useTrack } from 'trivet-sdk/react';

export function Shop({ auth, cta }) {
  const session = useSession();
  const track = useTrack();
  const [fault, setFault] = useState('');
  const told = (promise) =>
    promise.then(
      () => setFault(''),
      ({ message }) => setFault(message),
    );
  return (
    <main>
      <h1>Shop</h1>
      <p role="status">
        {!session
          ? 'Nobody is signed in.'
          : session.isGuest
            ? 'You are a guest.'
            : `You are ${session.email ?? session.userId}.`}
      </p>
      {session ? (
        <button onClick={() => told(auth.signOut())}>Sign out</button>
      ) : (
        <button onClick={() => told(auth.signInAsGuest())}>Continue as a guest</button>
      )}
      {fault && <p role="alert">{fault}</p>}
      <h2>What a customer does</h2>
      <button onClick={() => track('home_opened')}>Open the start page</button>
      <button onClick={() => track('article_opened')}>Open an article</button>
      <button onClick={() => track('cart_opened', { amount: 35 })}>Open the cart with 35 euros</button>
      <CallToAction cta={cta} />
    </main>
  );
}

/** What a marketer wants to show: the rules decide, and this draws it. */
function CallToAction({ cta }) {
  // So that the marketer sees how many saw it.
  const { action, dismiss } = useAction((shown) => cta.measure('impression', shown));
  const track = useTrack();
  const dialog = useRef(null);
  useEffect(() => {
    if (action && action.type !== 'TOOLTIP') dialog.current?.showModal();
  }, [action]);
  if (!action) return null;
  const { title = 'Shop', text = '' } = action.template ?? {};
  const close = (event) => {
    dismiss();
    track(event);
  };
  if (action.type === 'TOOLTIP') {
    return (
      <aside>
        {text} <button onClick={() => close('tooltip_closed')}>Close</button>
      </aside>
    );
  }
  return (
    <dialog ref={dialog} onClose={() => close('popup_closed')}>
      <h2>{title}</h2>
      <p>{text}</p>
      <form method="dialog">
        <button>Close</button>
      </form>
    </dialog>
  );
}
