import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { prefetch } from '../../api/prefetch';
import { lazyScreen } from '../../common/lazy-part';
import { hasRunQuery, homeQuery } from './queries';

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: { prefetch: prefetchHome },
  loader: prefetchHome,
  component: lazyScreen(() => import('./home-page'), 'HomePage', 'home', 'runs'),
});

function prefetchHome(): void {
  void prefetch(homeQuery);
  void prefetch(hasRunQuery);
}

export const homeRoutes = [homeRoute] as const;
