import { imageRules, readImage, type Image } from '../support/deployment/image';
import { readCompose } from '../support/deployment/compose';

type RuleName = keyof typeof imageRules;
type Breakage = [rule: RuleName, what: string, breakIt: (image: Image) => void];

test.each(Object.entries(imageRules))('the image keeps the rule: %s', (_name, rule) => {
  expect(rule(readImage())).toEqual([]);
});

test('compose runs the services as the user of the image', () => {
  const user = readImage().instructions.find(({ word }) => word === 'USER')?.rest;
  const ours = Object.values(readCompose().services).filter(({ build }) => build !== undefined);
  expect(new Set(ours.map((service) => service.user))).toEqual(new Set([user]));
});

const change = (image: Image, word: string, before: string, after: string) => {
  const instruction = image.instructions.findLast((one) => one.word === word && one.rest.includes(before));
  if (!instruction) throw new Error(`the Dockerfile has no ${word} with ${before}`);
  instruction.rest = instruction.rest.replace(before, after);
};

const BREAKAGES: Breakage[] = [
  ['baseImages', 'a base image is not pinned', (image) => change(image, 'FROM', ':24-bookworm-slim', '')],
  [
    'baseImages',
    'the stages have different Debians',
    (image) => change(image, 'FROM', '24-bookworm-slim', '24-trixie-slim'),
  ],
  ['finalStageOnly', 'it ships compilers', (image) => change(image, 'FROM', '-slim', '')],
  ['finalStageOnly', 'it runs as root', (image) => change(image, 'USER', '10001:10001', 'root')],
  ['finalStageOnly', 'it names its user', (image) => change(image, 'USER', '10001:10001', 'node')],
  ['finalStageOnly', 'it installs packages', (image) => image.instructions.push({ word: 'RUN', rest: 'npm install' })],
  ['finalStageOnly', 'it contains the sources', (image) => image.instructions.push({ word: 'COPY', rest: '. .' })],
  ['buildContext', 'everything is sent to the builder', (image) => image.ignored.shift()],
  ['buildContext', 'a folder does not reach the builder', (image) => change(image, 'COPY', 'libs libs', 'docs docs')],
  ['buildContext', 'secrets reach the builder', (image) => image.ignored.push('!.env')],
  ['packages', 'a program loads a development dependency', (image) => (image.installed = image.installed.slice(1))],
];

test.each(BREAKAGES)('the rule %s detects that %s', (rule, _what, breakIt) => {
  const image = readImage();
  breakIt(image);
  expect(imageRules[rule](image)).not.toEqual([]);
});

test('every rule has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(imageRules).filter((rule) => !broken.has(rule))).toEqual([]);
});
