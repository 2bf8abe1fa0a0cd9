import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';
import { oneOf, searchParams, text } from '../../common/search-params';
import { PROCESS_STATES } from './process-state';

const processesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes',
  validateSearch: searchParams({ q: text, state: oneOf(PROCESS_STATES) }),
  component: lazyScreen(() => import('./processes-page'), 'ProcessesPage', 'processes'),
});

/** The head and the tabs of a process; its child routes are the tabs. */
const processRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/$pid',
  component: lazyScreen(() => import('./process-page'), 'ProcessPage', 'processes'),
});

const processOverviewRoute = createRoute({
  getParentRoute: () => processRoute,
  path: '/',
  component: lazyScreen(() => import('./tabs/overview'), 'ProcessOverview', 'processes'),
});

const processMatrixRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'matrix',
  component: lazyScreen(() => import('./tabs/matrix'), 'ProcessMatrix', 'processes'),
});

const processVersionsRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'versions',
  component: lazyScreen(() => import('./tabs/versions'), 'ProcessVersions', 'processes', 'flow-editor'),
});

const processVersionRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'versions/$version',
  component: lazyScreen(() => import('./tabs/version'), 'ProcessVersion', 'processes', 'flow-editor'),
});

const processKeysRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'keys',
  component: lazyScreen(() => import('./tabs/keys'), 'ProcessKeys', 'processes', 'start-refusals'),
});

const processSharesRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'shares',
  component: lazyScreen(() => import('./tabs/shares'), 'ProcessShares', 'processes'),
});

const processRunRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'run',
  component: lazyScreen(() => import('./tabs/run'), 'ProcessRun', 'processes'),
});

const processHistoryRoute = createRoute({
  getParentRoute: () => processRoute,
  path: 'history',
  component: lazyScreen(() => import('./tabs/history'), 'ProcessHistory', 'processes', 'runs'),
});

export const processRoutes = [
  processesRoute,
  processRoute.addChildren([
    processOverviewRoute,
    processMatrixRoute,
    processVersionsRoute,
    processVersionRoute,
    processKeysRoute,
    processSharesRoute,
    processRunRoute,
    processHistoryRoute,
  ]),
] as const;
