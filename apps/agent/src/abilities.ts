import { NON_STEP_ABILITIES, type StepType } from '@batuta/flow';
import type { BrowserProgram } from './find-browser';
import { SUPPORTED_STEPS } from './connectors/registry';
import { missingOcrPackages } from './ocr/installation';

/** The step types that this agent announces to the router as its abilities (interpretation 56). */
export function abilitiesOfMachine(browser: BrowserProgram | undefined, lacking = missingOcrPackages()): string[] {
  return [
    ...stepTypesWithBrowser(browser),
    NON_STEP_ABILITIES.mapping,
    ...(lacking.length === 0 ? [NON_STEP_ABILITIES.ocr] : []),
  ];
}

/** The step types that run on a machine with this browser, or without any browser. */
export function stepTypesWithBrowser(browser: BrowserProgram | undefined): StepType[] {
  return SUPPORTED_STEPS.filter((type) => type !== 'browser' || browser !== undefined);
}
