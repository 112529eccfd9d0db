import { startLanguage } from './language.ts';
import '../design/base.css';
import '../design/components.css';
import '../design/high-contrast.css';
import './shell.css';

/* The modules of the app ask for their texts while they are loaded, so the language comes before them. */
await startLanguage();
await import('./start.tsx');
