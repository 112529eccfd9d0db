import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createTrivet } from 'trivet-sdk';
import { TrivetProvider } from 'trivet-sdk/react';
import { Shop } from './shop.jsx';

// One client for the whole app, made outside of React: a component that mounts twice must not launch twice.
const url = new URLSearchParams(location.search).get('trivet') ?? 'http://127.0.0.1:8787';
const trivet = createTrivet({ url, app: { version: '1.0.0', packageName: 'com.example.shop' } });
void trivet.cta.launch();
trivet.cta.handleUrl(location.href);

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <TrivetProvider trivet={trivet}>
      <Shop auth={trivet.auth} cta={trivet.cta} />
    </TrivetProvider>
  </StrictMode>,
);
