import { EXTRA_FLOW_ABILITIES, type StepType } from '@batuta/flow';
import type { BrowserProgram } from './find-browser';
import { SUPPORTED_STEPS } from './connectors/registry';
import { missingOcrPackages } from './ocr/installation';

/**
 * The abilities that the agent announces to the router (interpretation 56): its step types, mappings, and OCR if none of its packages is
 * missing.
 */
export function abilitiesOfMachine(browser: BrowserProgram | undefined, lacking = missingOcrPackages()): string[] {
  return [
    ...runnableStepTypes(browser),
    EXTRA_FLOW_ABILITIES.mapping,
    ...(lacking.length === 0 ? [EXTRA_FLOW_ABILITIES.ocr] : []),
  ];
}

/** The step types that this agent runs on a machine with the browser; without a browser all but `browser`. */
export function runnableStepTypes(browser: BrowserProgram | undefined): StepType[] {
  return SUPPORTED_STEPS.filter((type) => type !== 'browser' || browser !== undefined);
}
