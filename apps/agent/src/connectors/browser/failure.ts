import { stripVTControlCharacters } from 'node:util';
import type { Request } from 'playwright-core';
import { StepError } from '../../step-error';

const MAX_REASON_CHARACTERS = 300;
/** Pairs of a text in Playwright's log of a failed call and the reason that the author of the flow reads instead. */
const REASONS_IN_DRIVER_LOG: readonly (readonly [RegExp, string])[] = [
  [/intercepts pointer events/, 'another element covers it'],
  [/element is not visible/, 'the element is not visible'],
  [/element is not enabled/, 'the element is disabled'],
  [/element is not stable/, 'the element keeps moving'],
  [/element is not editable/, 'the element cannot be edited'],
  [/element is outside of the viewport/, 'the element is outside of the window'],
  [/did not find some options/, 'the list has no such option'],
  [/locator resolved to/, 'the element was found'],
  [/waiting for locator|waiting for getByText/, 'the selector finds nothing'],
];

/**
 * The reason of a failed action, for the log. A StepError gives its message. A time limit, a selector that finds several elements, and a
 * download give fixed sentences, because Playwright's log of the call repeats values that were filled in; any other error gives its first line,
 * cut to MAX_REASON_CHARACTERS.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof StepError) return error.message;
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  const [first = ''] = text.split('\n');
  const message = first.replace(/^\w+\.\w+: /, '').trim();
  const elements = /strict mode violation: .* resolved to (\d+) elements/.exec(first)?.[1];
  if (elements !== undefined)
    return `the selector finds ${elements} elements: make it more precise, or say which by nth`;
  if (message.startsWith('Download is starting'))
    return 'the address gives a file: read it by a rest step, or by the action download';
  const [, milliseconds] = /^Timeout (\d+)ms exceeded/.exec(message) ?? [];
  if (milliseconds === undefined) return message.slice(0, MAX_REASON_CHARACTERS);
  const hint = REASONS_IN_DRIVER_LOG.find(([pattern]) => pattern.test(text))?.[1];
  return `not done within ${Math.max(1, Math.round(Number(milliseconds) / 1000))} s${hint === undefined ? '' : `: ${hint}`}`;
}

/** Whether the request is for a page itself, and not for a part of it such as a frame or a picture. */
export function isForPage(request: Request): boolean {
  if (!request.isNavigationRequest()) return false;
  try {
    return request.frame().parentFrame() === null;
  } catch {
    // The first page of a new tab has no frame yet.
    return true;
  }
}

/** Returns no elements for the error of a selector within a frame, when the page has another element in place of the frame; throws any other error. */
export function noneWithoutFrame(error: unknown): [] {
  if (error instanceof Error && /<iframe> was expected/.test(error.message)) return [];
  throw error;
}
