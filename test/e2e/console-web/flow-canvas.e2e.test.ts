import type { Locator, Page } from 'playwright-core';
import { makeProcess } from '../support/tenants/factories';
import { until } from '../support/until';
import { untilSettled, useWebWorld } from './support/web-world';
import { VIEWPORTS } from './support/windows';

const web = useWebWorld();

const FLOW = {
  start: 'First',
  steps: [
    { name: 'First', type: 'script' as const, code: 'return 1' },
    { name: 'Second', type: 'wait' as const, seconds: 5 },
  ],
};

async function openCanvas(flow: object = FLOW) {
  const { stack, owner, process, open } = web();
  const { processID } = await makeProcess(stack, { owner, environment: process.environment, flow: null });
  await owner.manage('PUT', `/processes/${processID}/flow`, flow);
  const page = await open(`/processes/${processID}/flow`, { as: owner, language: 'en' });
  const save = async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All saved').waitFor();
    return owner.manage('GET', `/processes/${processID}/flow`);
  };
  return { page, save };
}

const step = (page: Page, name: string) =>
  page.locator('.react-flow__node').filter({ has: page.getByText(name, { exact: true }) });
const untilEdges = (page: Page, count: number) =>
  until(
    () => page.locator('.react-flow__edge').count(),
    (found) => found === count,
  );

/** Drags with the mouse, from the middle of one element to that of another. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.hover();
  await page.mouse.down();
  await to.hover();
  await page.mouse.up();
}

test('the keyboard goes on in the first field of an added variable or route', async () => {
  const { page, save } = await openCanvas();
  // The canvas hides a step, which then takes no focus, until it is measured.
  await step(page, 'First').waitFor();
  await step(page, 'First').press('Enter');
  await page.getByRole('tab', { name: 'Variables' }).click();
  await page.getByRole('button', { name: 'Add variable' }).press('Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('total');
  await page.getByRole('tab', { name: 'Routes' }).click();
  await page.getByRole('button', { name: 'Add a route' }).first().press('Enter');
  await page.getByRole('textbox', { name: 'Condition of route 1' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('true');
  const first = { name: 'First', rows: [{ name: 'total' }], routes: [{ when: 'true' }] };
  expect(await save()).toMatchObject({ flow: { steps: [first, { name: 'Second' }] } });
});

test('routes are drawn with the mouse, for success and for errors, and several steps are copied with their routes', async () => {
  const { page, save } = await openCanvas();
  const target = step(page, 'Second').locator('.react-flow__handle.target');
  await drag(page, step(page, 'First').locator('.react-flow__handle.source:not(.error-handle)'), target);
  await untilEdges(page, 1);
  await drag(page, step(page, 'First').locator('.error-handle'), target);
  await untilEdges(page, 2);
  for (const keys of ['Control+a', 'Control+c', 'Control+v']) await page.keyboard.press(keys);
  await step(page, 'Second 2').waitFor();
  await untilEdges(page, 4);
  const [first, second] = FLOW.steps;
  const copied = { routes: [{ to: 'Second 2' }], onError: [{ to: 'Second 2' }] };
  expect(await save()).toMatchObject({
    flow: {
      start: 'First',
      steps: [
        { ...first, routes: [{ to: 'Second' }], onError: [{ to: 'Second' }] },
        second,
        { ...first, name: 'First 2', ...copied },
        { ...second, name: 'Second 2' },
      ],
    },
  });
});

test('a step that is dragged stays there until the drawing is tidied up, and undo brings it back', async () => {
  const { page } = await openCanvas();
  /** The vertical distance of the second step from the first one in the drawing. */
  const distance = async () => {
    const [one, other] = [await step(page, 'First').boundingBox(), await step(page, 'Second').boundingBox()];
    return Math.round((other?.y ?? 0) - (one?.y ?? 0));
  };
  const isAt = (wanted: (y: number) => boolean) => until(distance, wanted);
  await step(page, 'Second').hover();
  const before = await distance();
  const { x = 0, y = 0 } = (await step(page, 'Second').boundingBox()) ?? {};
  await page.mouse.move(x + 60, y + 20);
  await page.mouse.down();
  await page.mouse.move(x + 80, y + 120, { steps: 5 });
  await page.mouse.up();
  await isAt((now) => now > before + 50);
  const tidy = page.getByRole('button', { name: 'Tidy up' });
  await tidy.click();
  await isAt((now) => now === before);
  await page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
  await isAt((now) => now > before + 50);
  await page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
  await isAt((now) => now === before);
  const isDisabled = await until(
    () => tidy.isDisabled(),
    (disabled) => disabled,
  );
  expect(isDisabled).toBe(true);
});

test('a flow that is too large to be read as a whole opens at its start, and keeps its zoom when it moves to the step of a problem', async () => {
  const { stack, owner, process, open } = web();
  const { processID } = await makeProcess(stack, { owner, environment: process.environment, flow: null });
  const waits = Array.from({ length: 40 }, (_, at) => {
    return {
      name: `Wait ${at}`,
      type: 'wait' as const,
      seconds: 1,
      routes: [{ to: at < 39 ? `Wait ${at + 1}` : 'Call' }],
    };
  });
  const call = { name: 'Call', type: 'rest', method: 'GET', url: '' };
  await owner.manage('PUT', `/processes/${processID}/flow`, { start: 'Wait 0', steps: [...waits, call] });
  const page = await open(`/processes/${processID}/flow`, { as: owner, language: 'en' });
  const box = async (place: Locator) => (await place.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const isShown = async (name: string) => {
    const [canvas, shown] = [await box(page.getByTestId('canvas')), await box(step(page, name))];
    // A step is 240 pixels wide at zoom 1, as before the canvas is measured, and 180 at the zoom at which a large flow opens (0.75); it is
    // narrower when the whole flow is fitted in.
    return (
      shown.width > 150 && shown.width < 210 && shown.x >= canvas.x && shown.x + shown.width <= canvas.x + canvas.width
    );
  };
  await until(() => isShown('Wait 0'), Boolean);
  const { width } = await box(step(page, 'Wait 0'));
  await step(page, 'Wait 1').click();
  await page.getByLabel('Name of the step').waitFor();
  await page.getByRole('button', { name: /Call › Address/ }).click();
  await until(() => isShown('Call'), Boolean);
  expect((await box(step(page, 'Call'))).width).toBeCloseTo(width, 0);
});

/** How many pixels of a picture are clearly darker than the light ground of the page. */
async function countDarkPixels(page: Page, picture: Buffer): Promise<number> {
  const count: unknown = await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    return data.filter((value, index) => index % 4 === 0 && value < 190).length;
  })()`);
  return Number(count);
}

test('a window that becomes narrow shows the flow again, also when a part of a step is still in view', async () => {
  const { page } = await openCanvas();
  const first = step(page, 'First');
  await first.waitFor();
  const boxes = async () => ({
    box: (await first.boundingBox()) ?? { x: 0, y: 0, width: 0 },
    canvas: (await page.getByTestId('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 },
  });
  const isShown = async () => {
    const { box, canvas } = await boxes();
    return box.width > 0 && box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width;
  };
  await page.setViewportSize(VIEWPORTS.narrow);
  await until(isShown, Boolean);
  const { width } = (await boxes()).canvas;
  await page.setViewportSize(VIEWPORTS.wide);
  await untilSettled(page);
  await until(isShown, Boolean);
  const { box, canvas } = await boxes();
  const x = canvas.x + width - 20;
  const [from, y] = [canvas.x + 10, canvas.y + canvas.height / 3];
  await page.mouse.move(from, y);
  await page.mouse.down();
  await page.mouse.move(from + x - box.x, y, { steps: 5 });
  await page.mouse.up();
  await until(boxes, (now) => Math.abs(now.box.x - x) < 15);
  await page.setViewportSize(VIEWPORTS.narrow);
  expect(await until(isShown, Boolean)).toBe(true);
});

test('the overview of a very long flow shows its steps', async () => {
  const names = Array.from({ length: 150 }, (_, index) => `Step ${index + 1}`);
  const steps = names.map((name, index) => ({
    name,
    type: 'wait',
    seconds: 1,
    ...(index + 1 < names.length && { routes: [{ to: names[index + 1] }] }),
  }));
  const { page } = await openCanvas({ start: 'Step 1', steps });
  const overview = page.getByTestId('rf__minimap');
  await overview
    .locator('.react-flow__minimap-node')
    .nth(names.length - 1)
    .waitFor();
  // The steps form a line over the whole width of the overview, so there are more dark pixels than it is wide.
  const width = (await overview.boundingBox())?.width ?? 0;
  expect(await countDarkPixels(page, await overview.screenshot())).toBeGreaterThan(width);
});
