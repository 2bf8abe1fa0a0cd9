import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';

const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  component: lazyScreen(() => import('./account-page'), 'AccountPage', 'account'),
});

export const accountRoutes = [accountRoute] as const;
