/*
 * A page without a bundler: it imports the SDK from the server itself. README.md says how to start both. The address of the server stands in
 * the address of the page (?trivet=…), as each of you has another one; an app would write it here.
 */
const url = new URLSearchParams(location.search).get('trivet') ?? 'http://127.0.0.1:8787';
const { createTrivet } = await import(`${url}/sdk/trivet.js`);

const element = (id) => document.getElementById(id);
function note(text) {
  const item = document.createElement('li');
  item.textContent = text;
  element('log').append(item);
}

const trivet = createTrivet({
  url,
  app: { version: '1.0.0', packageName: 'com.example.shop', platform: 'web' },
  onError: ({ message }) => note(message),
});

// 1. Who uses it. The session survives the page; tabs share it.
function showPerson(session) {
  element('who').textContent = !session
    ? 'Nobody is signed in.'
    : session.isGuest
      ? `You are a guest (${session.userId}).`
      : `You are ${session.email ?? session.userId}.`;
  element('guest').hidden = session !== null;
  element('sign-out').hidden = session === null;
  element('sign-in').hidden = session !== null && !session.isGuest;
  // It was shown to whoever signed out.
  if (!session) element('tooltip').hidden = true;
}
trivet.auth.on('change', showPerson);
showPerson(trivet.auth.session());

const told = (promise) => promise.catch((error) => note(`${error.code}: ${error.message}`));
element('guest').onclick = () => told(trivet.auth.signInAsGuest());
element('sign-out').onclick = () => told(trivet.auth.signOut());
element('sign-in').onsubmit = (event) => {
  event.preventDefault();
  const identity = { provider: 'dev', idToken: new FormData(event.target).get('idToken').trim() };
  event.target.reset();
  // A guest who signs in keeps what they have seen.
  told(
    trivet.auth.session()?.isGuest
      ? trivet.auth.link({ ...identity, onConflict: 'switch' })
      : trivet.auth.signIn(identity),
  );
};

// 2. What a marketer wants to show. The rules decide; the page only draws.
trivet.cta.on('action', (action) => {
  const { type, template, context } = action;
  const { title = 'Shop', text = '' } =
    typeof template === 'object' && template ? template : { text: template };
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name) => String(context[name] ?? ''));
  note(`${type}: ${filled || title}`);
  // So that the marketer sees how many saw it.
  trivet.cta.measure('impression', action);
  if (type === 'TOOLTIP') {
    element('tooltip').querySelector('span').textContent = filled;
    element('tooltip').hidden = false;
    return;
  }
  const popup = element('popup');
  popup.querySelector('h2').textContent = title;
  popup.querySelector('p').textContent = filled;
  if (!popup.open) popup.showModal();
});
element('popup').onclose = () => trivet.cta.track('popup_closed');
element('tooltip').querySelector('button').onclick = () => {
  element('tooltip').hidden = true;
  trivet.cta.track('tooltip_closed');
};

// 3. What happens in the app.
for (const button of document.querySelectorAll('[data-event]')) {
  button.onclick = () => {
    const { event, amount } = button.dataset;
    trivet.cta.track(event, amount === undefined ? {} : { amount: Number(amount) });
  };
}

await trivet.cta.launch();
// A link like ?trivet-preview=ID, e.g. from a marketer's QR code, shows the preview over everything.
trivet.cta.handleUrl(location.href);
document.documentElement.dataset.ready = 'true';
