import type { Locator, Page, Request } from 'playwright-core';
import { field } from './web-world';

export const REFUSAL_REQUEST_ID = 'request-id-of-the-refusal';
const RETRY_AFTER_SECONDS = '7';

/** Refusals of an API that is away, and of an API that gets too many calls. */
export const REFUSALS = {
  outage: {
    status: 503,
    headers: { 'retry-after': RETRY_AFTER_SECONDS, 'x-request-id': REFUSAL_REQUEST_ID },
    json: { error: { code: 'UNAVAILABLE', message: 'The database does not answer; try again.' } },
  },
  tooManyCalls: {
    status: 429,
    headers: { 'retry-after': RETRY_AFTER_SECONDS, 'x-request-id': REFUSAL_REQUEST_ID },
    json: { error: { code: 'RATE_LIMITED', message: 'More than 60 requests in a minute.' } },
  },
};
type RefusedAnswer = (typeof REFUSALS)[keyof typeof REFUSALS];

const API = '**/manage/v1/**';

/** True for a call that changes nothing: a GET, or a POST by which a page checks input while the user types. */
const isRead = (request: Request) => request.method() === 'GET' || /\/(preview|check|dry-run)$/.test(request.url());

/** From now on every call of the page that changes something gets the refusal, without reaching the API. */
export function refuseChanges(page: Page, refusal: RefusedAnswer = REFUSALS.outage): Promise<unknown> {
  return page.route(API, (route) => (isRead(route.request()) ? route.continue() : route.fulfill(refusal)));
}

/** Ends `refuseChanges`. */
export function allowChanges(page: Page): Promise<void> {
  return page.unroute(API);
}

/** Clicks the button with exactly this name. */
export const press = (place: Page | Locator, name: string) => place.getByRole('button', { name, exact: true }).click();

/**
 * Returns a function that fills in fields by their labels and presses the button while the API refuses changes; then the form must show the
 * message, still have everything that was typed, and have the focus on the button. At last it presses the button again when the API accepts changes. `asks` = the form
 * shows a question before it is sent.
 */
export function makeSubmitAfterRefusal(page: Page, refusal: RefusedAnswer = REFUSALS.outage) {
  return async (
    place: Page | Locator,
    button: string,
    typed: Record<string, string>,
    { asks = false } = {},
  ): Promise<void> => {
    const inputs = Object.keys(typed).map((label) => field(place, label).last());
    for (const [index, value] of Object.values(typed).entries()) await inputs[index]?.fill(value);
    await refuseChanges(page, refusal);
    await press(place, button);
    if (asks) {
      await place.getByRole('alert').waitFor();
      await press(place, button);
    }
    const alert = page.getByRole('alert').filter({ hasText: REFUSAL_REQUEST_ID });
    await alert.getByText(refusal.json.error.message).waitFor();
    await alert.getByText(`Try again in ${RETRY_AFTER_SECONDS} seconds.`).waitFor();
    expect(await Promise.all(inputs.map((input) => input.inputValue()))).toEqual(Object.values(typed));
    await place.getByRole('button', { name: button, exact: true }).and(page.locator(':focus')).waitFor();
    await allowChanges(page);
    await press(place, button);
    await alert.waitFor({ state: 'detached' });
  };
}
