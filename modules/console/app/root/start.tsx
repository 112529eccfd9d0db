import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { I18nProvider } from 'react-aria-components';
import { Router } from 'wouter';
import { queryClient } from '../api/queries.ts';
import { applyAppearance } from '../design/appearance.ts';
import { locale } from '../texts/text.ts';
import { App } from './app.tsx';

/* Loaded by main.tsx when the texts of the language are there. */

applyAppearance();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={locale()}>
        <QueryClientProvider client={queryClient}>
          <Router base="/console">
            <App />
          </Router>
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  );
