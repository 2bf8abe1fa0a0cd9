import type { BrowserType } from 'playwright-core';
import { StepError } from '../../step-error';

const PLAYWRIGHT_PACKAGE = 'playwright-core';

/**
 * Loads Playwright at the first browser step, so that an agent without such steps does not spend memory on it. Throws
 * StepError when the package is not installed.
 */
export async function loadChromium(): Promise<BrowserType> {
  try {
    return (await import('playwright-core')).chromium;
  } catch (error) {
    const code: unknown = Reflect.get(Object(error), 'code');
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new StepError(
      `the agent's machine lacks the package ${PLAYWRIGHT_PACKAGE}, which browser steps need: install it beside the agent (npm install ${PLAYWRIGHT_PACKAGE})`,
    );
  }
}
