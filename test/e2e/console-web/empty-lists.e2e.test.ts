import { makeOwner } from '../support/tenants/factories';
import * as s from '../../support/shape';
import { untilSettled, useWebWorld } from './support/web-world';

const web = useWebWorld();

test('an empty list has one button that adds an entry', async () => {
  const { open, stack } = web();
  const owner = await makeOwner(stack, { role: 'administrator' });
  const made = await owner.manage('POST', '/processes', { processName: 'Orders' });
  const { processID } = s.object({ processID: s.text() }).parse(made);
  const tabs = ['keys', 'shares', 'versions', 'matrix', 'webhooks'].map((tab) => `/processes/${processID}/${tab}`);
  const page = await open('/account', { as: owner, language: 'en' });
  for (const path of ['/account', '/environments', '/schedules', '/company/events', ...tabs]) {
    await page.goto(path);
    await untilSettled(page);
    const names = await page.getByRole('main').getByRole('button').allInnerTexts();
    const adding = names.filter((name) => /^(New|Share|Publish)/.test(name));
    expect({ path, repeated: adding.length - new Set(adding).size, hasOne: adding.length > 0 }).toEqual({
      path,
      repeated: 0,
      hasOne: true,
    });
  }
});
