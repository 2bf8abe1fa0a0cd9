import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';
import { searchParams, text } from '../../common/search-params';

const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: searchParams({ process: text }),
  component: lazyScreen(() => import('./schedules-page'), 'SchedulesPage', 'schedules', 'processes'),
});

const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/$id',
  validateSearch: searchParams({ month: text, day: text }),
  component: lazyScreen(() => import('./schedule-page'), 'SchedulePage', 'schedules', 'processes'),
});

export const scheduleRoutes = [schedulesRoute, scheduleRoute] as const;
