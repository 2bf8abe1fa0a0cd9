/** Playwright disables these; Chromium takes the last list that it is given only. */
const BY_PLAYWRIGHT = [
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

/** Chromium's own interface, which takes more processor time beside each window than the page in it, and processes in reserve. */
const OWN_INTERFACE = [
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** The argument that disables features of Chromium which a browser without a window does not need. */
export const DISABLED_FEATURES_ARGUMENT = `--disable-features=${[...BY_PLAYWRIGHT, ...OWN_INTERFACE].join(',')}`;
