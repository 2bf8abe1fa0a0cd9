import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ErrorPage } from '../common/error-page';
import { lazyPart } from '../common/lazy-part';
import { LoadingPage } from '../common/loading-page';
import { retryReadsNow } from '../api/query-client';
import { sessionQuery } from '../api/session';
import { useReturn } from '../common/use-return';
import { Shell } from './shell';
import { useOneAccount } from './use-one-account';

const LoginPage = lazyPart(() => import('./login-page').then((module) => module.LoginPage));
const ChangePasswordPage = lazyPart(() => import('./change-password-page').then((module) => module.ChangePasswordPage));

/**
 * The pages of an account, or the login and the change of a one-time password before them. The URL does not change, so
 * that a shared link works after the login.
 */
export function Root() {
  const session = useQuery(sessionQuery);
  const queryClient = useQueryClient();
  // Another window may have logged in, or replaced the one-time password: the windows share one session. The pages of an account notice it themselves.
  useReturn(() => {
    if (session.data && session.data.state !== 'account')
      void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey, exact: true }, { cancelRefetch: false });
  });
  const isAnother = useOneAccount(session.data);
  const error = session.error ?? session.failureReason;
  if (!session.data) return error ? <ErrorPage error={error} reset={retryReadsNow} /> : <LoadingPage />;
  if (isAnother) return <LoadingPage />;
  if (session.data.state === 'none') return <LoginPage />;
  if (session.data.state === 'one-time') return <ChangePasswordPage />;
  return <Shell account={session.data.account} />;
}
