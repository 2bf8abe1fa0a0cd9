import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';
import { oneOf, searchParams } from '../../common/search-params';
import { DELIVERY_STATUSES } from './event-names';

const eventsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company/events',
  component: lazyScreen(() => import('./events-page'), 'EventsPage', 'events'),
});

const subscriptionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company/events/$id',
  validateSearch: searchParams({ status: oneOf(DELIVERY_STATUSES) }),
  component: lazyScreen(() => import('./subscription-page'), 'SubscriptionPage', 'events'),
});

export const eventRoutes = [eventsRoute, subscriptionRoute] as const;
