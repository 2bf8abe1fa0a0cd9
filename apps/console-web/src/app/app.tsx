import { createTheme, MantineProvider, type MantineColorsTuple } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { queryClient } from '../api/query-client';
import { renderButton } from '../common/button-element';
import { lazyPart } from '../common/lazy-part';
import { LoadFailureNotice } from '../common/load-failed';
import { LoadingPage } from '../common/loading-page';
import { beforeNotification } from '../common/notify';
import { router } from './router';

/**
 * The shades of the brand colour, from light to dark. White text on the shades 8 and 9, and text of shade 9 on the shades 1 and 2, have the contrast
 * of WCAG AA, which Mantine's own teal lacks.
 */
const BRAND: MantineColorsTuple = [
  '#e6f7f3',
  '#d0eee7',
  '#bae6dc',
  '#72cdb9',
  '#4abfa5',
  '#2fb698',
  '#1eb291',
  '#0b9c7d',
  '#0a7a62',
  '#086b56',
];

const theme = createTheme({
  colors: { brand: BRAND },
  primaryColor: 'brand',
  primaryShade: { light: 9, dark: 8 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace',
  autoContrast: true,
  respectReducedMotion: true,
  components: { Button: { defaultProps: { renderRoot: renderButton } } },
});

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <NotificationsWhenNeeded />
      <LoadFailureNotice />
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={<LoadingPage />}>
          <RouterProvider router={router} />
        </Suspense>
      </QueryClientProvider>
    </MantineProvider>
  );
}

const NotificationCenter = lazyPart(() =>
  import('../common/notification-center').then((module) => module.NotificationCenter),
);

function NotificationsWhenNeeded() {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => beforeNotification(() => setNeeded(true)), []);
  return isNeeded ? (
    <Suspense fallback={null}>
      <NotificationCenter position="bottom-right" />
    </Suspense>
  ) : null;
}
