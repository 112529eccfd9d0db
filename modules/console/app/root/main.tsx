import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { queryClient } from '../api/queries.ts';
import { applyAppearance } from '../design/appearance.ts';
import { App } from './app.tsx';
import '../design/base.css';
import '../design/components.css';
import './shell.css';

applyAppearance();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Router base="/console">
          <App />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  );
