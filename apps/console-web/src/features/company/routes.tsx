import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { lazyScreen } from '../../common/lazy-part';
import { searchParams, text } from '../../common/search-params';

export const companyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company',
  validateSearch: searchParams({ from: text, to: text }),
  component: lazyScreen(() => import('./company-page'), 'CompanyPage', 'company'),
});

export const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company/audit',
  validateSearch: searchParams({ person: text, action: text, object: text, from: text, to: text }),
  component: lazyScreen(() => import('./audit-page'), 'AuditPage', 'company'),
});

export const companyRoutes = [companyRoute, auditRoute] as const;
