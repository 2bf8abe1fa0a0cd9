import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';

const environmentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/environments',
  component: lazyScreen(() => import('./environments-page'), 'EnvironmentsPage', 'environments'),
});

const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/environments/$id',
  component: lazyScreen(() => import('./environment-page'), 'EnvironmentPage', 'environments', 'flow-editor'),
});

export const environmentRoutes = [environmentsRoute, environmentRoute] as const;
