import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { retryReadsNow } from '../../api/query-client';
import { useAccount } from '../../api/session';
import { ErrorPage } from '../../common/error-page';
import { lazyPart } from '../../common/lazy-part';
import { LoadingPage } from '../../common/loading-page';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { hasRunQuery } from './queries';

// Most accounts have had a run, so the dashboard is loaded while the query for a first run is in flight.
const loadDashboard = () => import('./dashboard');
void loadDashboard().catch(() => undefined);
const Dashboard = lazyPart(async () => (await loadDashboard()).Dashboard);
const FirstVisit = lazyPart(async () => (await import('./first-visit')).FirstVisit);

export function HomePage() {
  // Operators own no processes.
  if (useAccount().role === 'operator') return <Navigate to="/operator" replace />;
  return <CompanyHome />;
}

function CompanyHome() {
  const { t } = useTranslation('home');
  const hasRun = useQuery(hasRunQuery);
  return (
    <>
      <PageHeader title={t('title')} />
      {hasRun.data === undefined ? (
        hasRun.error ? (
          <ErrorPage error={hasRun.error} reset={retryReadsNow} />
        ) : hasRun.failureReason ? (
          <PendingRead failure={hasRun.failureReason} height={90} />
        ) : (
          <LoadingPage />
        )
      ) : (
        <Suspense fallback={<LoadingPage />}>{hasRun.data ? <Dashboard /> : <FirstVisit />}</Suspense>
      )}
    </>
  );
}
