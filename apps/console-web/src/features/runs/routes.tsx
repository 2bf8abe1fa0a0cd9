import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { existingDay } from '../../common/day';
import { lazyScreen } from '../../common/lazy-part';
import { searchParams, someOf, text } from '../../common/search-params';
import { RUN_STATUSES, TRIGGERS } from './run-status';

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: searchParams({
    process: text,
    environment: text,
    status: someOf(RUN_STATUSES),
    from: existingDay,
    to: existingDay,
    origin: someOf(TRIGGERS),
  }),
  component: lazyScreen(() => import('./runs-page'), 'RunsPage', 'runs'),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$iid',
  component: lazyScreen(() => import('./run-page'), 'RunPage', 'runs'),
});

export const runRoutes = [runsRoute, runRoute] as const;
