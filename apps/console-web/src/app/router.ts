import { createRouter } from '@tanstack/react-router';
import { ErrorPage } from '../common/error-page';
import { LoadingPage } from '../common/loading-page';
import { accountRoutes } from '../features/account/routes';
import { companyRoutes } from '../features/company/routes';
import { environmentRoutes } from '../features/environments/routes';
import { eventRoutes } from '../features/events/routes';
import { flowEditorRoutes } from '../features/flow-editor/routes';
import { homeRoutes } from '../features/home/routes';
import { operatorRoutes } from '../features/operator/routes';
import { processRoutes } from '../features/processes/routes';
import { runRoutes } from '../features/runs/routes';
import { scheduleRoutes } from '../features/schedules/routes';
import { webhookRoutes } from '../features/webhooks/routes';
import { rootRoute } from '../root-route';

const routeTree = rootRoute.addChildren([
  ...homeRoutes,
  ...processRoutes,
  ...flowEditorRoutes,
  ...webhookRoutes,
  ...runRoutes,
  ...scheduleRoutes,
  ...environmentRoutes,
  ...accountRoutes,
  ...companyRoutes,
  ...eventRoutes,
  ...operatorRoutes,
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingPage,
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Begins to read the data of the screen; called only for the first screen after the page was loaded. */
    prefetch?: (params: Record<string, string | undefined>) => void;
  }
}
