import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';

const operatorRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/operator',
  component: lazyScreen(() => import('./operator-page'), 'OperatorPage', 'operator', 'company'),
});

export const operatorRoutes = [operatorRoute] as const;
