import { ActionIcon, Alert, AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconLogout } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { OwnAccount } from '../api/generated/console-api';
import { useIsConnected } from '../api/connection';
import { logOut } from '../api/session';
import { isLoginAwaited, onGateChange } from '../api/session-gate';
import { LeaveDialog } from '../common/confirm-dialog';
import { lazyPart } from '../common/lazy-part';
import { LoadingPage } from '../common/loading-page';
import { showErrorNotification } from '../common/notify';
import { acceptLoss, wouldAskBeforeLoss } from '../common/window-loss';
import { AnotherAccountNotice } from './another-account-notice';
import { useKeptFocus } from './kept-focus';
import { LanguageSwitch } from './language-switch';
import { mayOpen, navigationOf } from './navigation';
import { NotForRole } from './not-for-role';
import { ThemeSwitch } from './theme-switch';

/** The pause between the first drawing of the page and the preload of the session dialog. */
const PRELOAD_DELAY_MS = 3_000;

/** The frame around every page of an account that is logged in: header, navigation and notices. */
export function Shell({ account }: { account: OwnAccount }) {
  const { t } = useTranslation();
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const isConnected = useIsConnected();
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  useFocusAfterNavigation(pathname, main, close);
  useKeptFocus(main);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#main">
        {t('shell.skip')}
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('shell.navigation')}
              aria-expanded={isOpen}
              aria-controls="navigation"
            />
            <Link to="/" data-plain>
              <Text fw={700} size="lg" component="span">
                Batuta
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <LanguageSwitch />
            <ThemeSwitch />
            <AccountLinks account={account} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar id="navigation" p="xs" aria-label={t('shell.navigation')} mod={{ open: isOpen }}>
        {navigationOf(account.role).map(({ to, label, icon: Icon }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            activeOptions={{ exact: to === '/' }}
            label={t(`nav.${label}`)}
            leftSection={<Icon size={18} aria-hidden />}
            renderRoot={(props) => (
              <Link to={to} activeOptions={{ exact: to === '/' }} activeProps={{ 'data-active': true }} {...props} />
            )}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main" ref={main} tabIndex={-1}>
        {!isConnected && (
          <Alert color="orange" title={t('shell.offline')} mb="md" role="status">
            {t('shell.offlineWhy')}
          </Alert>
        )}
        <AnotherAccountNotice accountID={account.accountID} />
        <Suspense fallback={<LoadingPage />}>
          {account.role === 'operator' && pathname === '/' ? (
            <Navigate to="/operator" replace />
          ) : (
            <PageFor role={account.role} />
          )}
        </Suspense>
      </AppShell.Main>
      <LoginWhenExpired email={account.email} />
    </AppShell>
  );
}

/** Decided by the path of the page that is shown, because the address already names a page that is still loading. */
function PageFor({ role }: Pick<OwnAccount, 'role'>) {
  const shownPath = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '/' });
  return mayOpen(role, shownPath) ? <Outlet /> : <NotForRole />;
}

function AccountLinks({ account }: { account: OwnAccount }) {
  const { t } = useTranslation();
  const [isAsking, setIsAsking] = useState(false);
  // Reloads the page, so that no data of this account remain for the next account.
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: () => {
      acceptLoss();
      window.location.assign('/');
    },
    onError: showErrorNotification,
  });
  // The browser would ask only after the session has ended.
  const askOrLeave = () => (wouldAskBeforeLoss() ? setIsAsking(true) : leave.mutate());
  return (
    <>
      <Text size="sm" maw={160} truncate visibleFrom="sm" title={account.email}>
        {account.name}
      </Text>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('shell.logOut')}
        title={t('shell.logOut')}
        loading={leave.isPending}
        onClick={askOrLeave}
      >
        <IconLogout size={18} aria-hidden />
      </ActionIcon>
      {isAsking && (
        <LeaveDialog
          isSending={false}
          onLeave={() => {
            setIsAsking(false);
            leave.mutate();
          }}
          onStay={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

/** `LoginWhenExpired` loads the dialog in advance, because the files of this release may be gone when the session ends. */
const loadSessionDialog = () => import('./session-dialog');
const SessionDialog = lazyPart(() => loadSessionDialog().then((module) => module.SessionDialog));

function LoginWhenExpired({ email }: { email: string }) {
  const isAwaited = useSyncExternalStore(onGateChange, isLoginAwaited);
  useEffect(() => {
    const timer = setTimeout(() => void loadSessionDialog().catch(() => undefined), PRELOAD_DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return isAwaited ? (
    <Suspense fallback={null}>
      <SessionDialog email={email} />
    </Suspense>
  ) : null;
}

/**
 * After each navigation closes the navigation of a narrow window and moves the focus to the new page, so that screen readers and the
 * keyboard continue there.
 */
function useFocusAfterNavigation(
  pathname: string,
  main: React.RefObject<HTMLElement | null>,
  closeNavigation: () => void,
) {
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    closeNavigation();
    main.current?.focus();
  }, [pathname, main, closeNavigation]);
}
