import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../root-route';
import { existingDay } from '../../common/day';
import { lazyScreen } from '../../common/lazy-part';
import { searchParams, text } from '../../common/search-params';

const companyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company',
  validateSearch: searchParams({ from: existingDay, to: existingDay }),
  component: lazyScreen(() => import('./company-page'), 'CompanyPage', 'company'),
});

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company/audit',
  validateSearch: searchParams({ person: text, action: text, object: text, from: existingDay, to: existingDay }),
  component: lazyScreen(() => import('./audit-page'), 'AuditPage', 'company'),
});

export const companyRoutes = [companyRoute, auditRoute] as const;
