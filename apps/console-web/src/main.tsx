import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/app.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchConnection } from './api/connection';
import { isLoginAwaited } from './api/session-gate';
import { sessionQuery } from './api/session';
import { queryClient } from './api/query-client';
import { App } from './app/app';
import { router } from './app/router';
import { startI18n } from './i18n/i18n';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
// While the login dialog is open, Escape must not close a dialog of the page behind it, which would lose typed text. This listener is
// added before those of Mantine.
window.addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Escape' && isLoginAwaited()) event.stopImmediatePropagation();
  },
  { capture: true },
);

watchConnection();
const texts = startI18n();
// The session, the texts and the script of the first screen are read at the same time, and its data as soon as the session is known.
void queryClient.prefetchQuery(sessionQuery);
const [firstRoutes, firstParams] = router.getMatchedRoutes(window.location.pathname);
for (const route of firstRoutes) {
  void router.loadRouteChunk(route);
  route.options.staticData?.prefetch?.(firstParams);
}

// While nothing is rendered, also when the texts do not load, the page shows the hint of index.html to load it again.
await texts;
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
