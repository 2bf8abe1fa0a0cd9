import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';

const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  component: lazyScreen(() => import('./webhooks-page'), 'WebhooksPage', 'webhooks'),
});

const processWebhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/$pid/webhooks',
  component: lazyScreen(() => import('./process-webhooks-page'), 'ProcessWebhooksPage', 'webhooks'),
});

const originRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/$pid/webhooks/$oid',
  component: lazyScreen(() => import('./origin-page'), 'OriginPage', 'webhooks', 'processes', 'start-refusals'),
});

export const webhookRoutes = [webhooksRoute, processWebhooksRoute, originRoute] as const;
