import { chromium } from 'playwright-core';
import { DISABLED_FEATURES_ARGUMENT } from './chromium-features';

const featuresIn = (text: string) => /--disable-features=(\S+)/.exec(text)?.[1]?.split(',') ?? [];

test('the features that Playwright disables stay disabled beside those of the agent', async () => {
  // The error names the arguments with which Playwright has started the program.
  const failure = await chromium.launch({ executablePath: process.execPath }).then(() => 'started', String);
  const byPlaywright = featuresIn(failure);
  expect(byPlaywright.length).toBeGreaterThan(0);
  expect(featuresIn(DISABLED_FEATURES_ARGUMENT)).toEqual(expect.arrayContaining(byPlaywright));
});
