import { BrowserProcess } from '../connectors/browser/browser-process';
import { BROWSER_SETTING, browserOf, NO_BROWSER, type BrowserSettings } from '../find-browser';
import { hostAccess } from '../network/host-access';
import { agentHostRules } from '../network/agent-host-rules';
import type { Finding } from './finding';

/** Starts the browser of this machine and ends it, because only a start shows whether its sandbox works. */
export async function checkBrowser(settings: BrowserSettings): Promise<Finding> {
  const check = 'browser';
  if (settings.program === NO_BROWSER) return { check, state: 'ok', found: 'off: browser steps do not run here' };
  const browser = browserOf(settings);
  if (!browser) {
    const found =
      settings.program === '' ? 'no browser in the usual places' : `${settings.program} is not a program that runs`;
    const advice = `install Chromium, name a browser by ${BROWSER_SETTING}, or set it to ${NO_BROWSER} if no flow needs one`;
    return { check, state: 'warning', found, advice };
  }
  try {
    const process = await BrowserProcess.start(browser, hostAccess(agentHostRules()));
    const found = `${browser.path}, version ${process.browser.version()}`;
    await process.kill();
    if (browser.sandbox) return { check, state: 'ok', found };
    const advice =
      'run the agent as another user than root, with the sandbox on, where flows open pages that you do not trust';
    return { check, state: 'warning', found: `${found}, without its sandbox`, advice };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { check, state: 'warning', found, advice: 'browser steps fail until it starts; all other steps run' };
  }
}
