import type { Row, Step } from '@batuta/flow';
import { TOTAL_1234 } from '../../../test/pictures';
import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { OCR_LIMITS, TesseractReader, type PictureReader } from '../../ocr/picture-reader';

const sandbox = useSandbox({ workers: 1 });

const textRow = (value: string): Row => ({ name: 'result', mode: 'Variável ou texto', value });
const showStep = (value: string, fields: Partial<Extract<Step, { type: 'variables' }>> = {}): Step => ({
  name: 'show',
  type: 'variables',
  rows: [textRow(value)],
  ...fields,
});
const getPictureStep = (fields: Partial<Extract<Step, { type: 'rest' }>> = {}): Step => ({
  name: 'get',
  type: 'rest',
  method: 'GET',
  url: 'http://x/scan.png',
  as: 'scan',
  routes: [{ to: 'show' }],
  ...fields,
});

/** Runs the steps with a service that returns these pictures in order, and then the last one repeatedly. */
async function runWithPictures(
  steps: Step[],
  { pictures, files }: { pictures?: PictureReader; files?: Buffer[] } = {},
) {
  const read: number[] = [];
  const counting: PictureReader = {
    read: (bytes) => {
      read.push(bytes.length);
      return Promise.resolve(`text ${read.length}`);
    },
  };
  const answers = files ?? [TOTAL_1234];
  let call = 0;
  const fetcher: typeof fetch = () => {
    const bytes = answers[Math.min(call, answers.length - 1)] ?? Buffer.alloc(0);
    call += 1;
    return Promise.resolve(new Response(new Uint8Array(bytes), { headers: { 'content-type': 'image/png' } }));
  };
  const world = createFlowWorld(sandbox, { pictures: pictures ?? counting, fetch: fetcher });
  const end = await world.run(steps);
  return { end, log: world.messages(), read };
}

test('{name.OCR} is the text of the picture that a step received, read from its pixels without the network', async () => {
  const pictures = new TesseractReader({ ...OCR_LIMITS, milliseconds: 240_000 });
  const { log } = await runWithPictures([getPictureStep(), showStep('{scan.OCR}!')], { pictures });
  expect(log).toContain('result = "TOTAL 1234!"');
  expect(log).toMatch(/Step "show": read 10 characters from the picture scan.png in \d+ ms/);
});

test.each<[string, Step[]]>([
  ['a row', [getPictureStep(), showStep('{scan.OCR}')]],
  ['a formula', [getPictureStep(), showStep('', { rows: [{ ...textRow('{scan.OCR}.length'), mode: 'Fórmula' }] })]],
  [
    'a field of a step',
    [
      getPictureStep({ routes: [{ to: 'send' }] }),
      { ...getPictureStep({ as: 'x', routes: [], url: 'http://x/{scan.OCR}' }), name: 'send' },
    ],
  ],
  [
    'a mapping',
    [
      getPictureStep({ routes: [{ to: 'send' }] }),
      {
        ...getPictureStep({
          as: 'x',
          routes: [],
          url: 'http://x/{{t}}',
          mapping: { t: { mode: 'Variável ou texto', value: '{scan.OCR}' } },
        }),
        name: 'send',
      },
    ],
  ],
  ['the validation of the same step', [getPictureStep({ validation: 'return {scan.OCR}', routes: [] })]],
  ['a condition of the same step', [getPictureStep({ routes: [{ when: '{scan.OCR} == "text 1"', terminate: true }] })]],
  [
    'a response',
    [getPictureStep({ routes: [{ to: 'answer' }] }), { name: 'answer', type: 'webhookResponse', body: '{{scan.OCR}}' }],
  ],
])('a picture is read for %s', async (_where, steps) => {
  const { end, read } = await runWithPictures(steps);
  expect(end.outcome).toMatch(/FINALIZED|TERMINATED/);
  expect(read).toEqual([TOTAL_1234.length]);
});

test('a picture is read once, and never without a reference to it', async () => {
  expect(
    (await runWithPictures([getPictureStep(), showStep('{scan.OCR} {scan.OCR}', { routes: [{ when: '{scan.OCR}' }] })]))
      .read,
  ).toHaveLength(1);
  expect((await runWithPictures([getPictureStep(), showStep('{scan.FILE} {{scan.OCR}}')])).read).toEqual([]);
  expect(
    (await runWithPictures([getPictureStep({ routes: [{ terminate: true }] }), showStep('{scan.OCR}')])).read,
  ).toEqual([]);
});

test('a picture that replaces another one is read again, and without a picture the text is empty', async () => {
  const loop = showStep('{scan.OCR}', { routes: [{ when: '{execSteps} < 5', to: 'get' }] });
  const { log, read } = await runWithPictures([getPictureStep(), loop], {
    files: [TOTAL_1234, TOTAL_1234, Buffer.alloc(0)],
  });
  expect(read).toHaveLength(2);
  expect(log.match(/result = .*/g)).toEqual(['result = "text 1"', 'result = "text 2"', 'result = empty']);
});

test('a file that is no picture fails the step that reads it, which names the reference and the file', async () => {
  const { end } = await runWithPictures([getPictureStep(), showStep('{scan.OCR}')], {
    pictures: new TesseractReader(),
    files: [Buffer.from('%PDF-1.7')],
  });
  expect(end).toMatchObject({
    outcome: 'ERROR',
    errorStep: 'show',
    errorMessage:
      'Step "show": {scan.OCR}: the file scan.png: it is no picture; PNG, JPEG, WebP, GIF or BMP can be read',
  });
});
