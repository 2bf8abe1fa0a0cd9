/**
 * Features that Playwright disables. They are repeated here, because Chromium uses only the last list of disabled
 * features.
 */
const DISABLED_BY_PLAYWRIGHT = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
];

/** Chromium's own user interface, which takes more processor time per window than the page, and its spare processes. */
const USER_INTERFACE_FEATURES = [
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** The argument that disables features of Chromium which a browser without a window does not need. */
export const DISABLED_FEATURES_ARGUMENT = `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...USER_INTERFACE_FEATURES].join(',')}`;
