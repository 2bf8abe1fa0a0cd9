import { source } from 'axe-core';
import type { Page } from 'playwright-core';
import * as s from '../../../support/shape';

const resultShape = s.object({
  violations: s.list(
    s.object({
      id: s.text(),
      impact: s.text().nullable(),
      nodes: s.list(s.object({ html: s.text(), failureSummary: s.text() })),
    }),
  ),
});

/**
 * Runs all rules, but does not describe the elements that pass them: that takes most of the time of a check, and half a
 * megabyte per check. No rule reads the style sheets, which the checker would load and parse again.
 */
const FIND_VIOLATIONS = `axe
  .run({ resultTypes: ['violations'], preload: { assets: ['media'] } })
  .then(({ violations }) => ({ violations }))`;

/** The violations of accessibility rules that axe finds on the page and calls serious or critical, each with its elements and advice. */
export async function findSeriousViolations(page: Page): Promise<string[]> {
  // The checker is injected once: a page keeps it until it is reloaded.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(source);
  const { violations } = resultShape.parse(await page.evaluate(FIND_VIOLATIONS));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
    );
}

/** Whether the page is wider than its window, so that the user has to scroll sideways. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')) === true;
}

const HAS_CUT_BADGE = `[...document.querySelectorAll('.mantine-Badge-label')].some((label) => label.scrollWidth > label.clientWidth)`;

/** Whether a badge of the page is too narrow for its text. */
export async function cutsBadges(page: Page): Promise<boolean> {
  return (await page.evaluate(HAS_CUT_BADGE)) === true;
}
