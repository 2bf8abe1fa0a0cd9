import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { startWebServer } from '../support/web-server';
import { imageRules, readImage, type Image } from '../support/deployment/image';
import { readCompose } from '../support/deployment/compose';
import { ROOT } from '../support/deployment/settings';
import * as s from '../support/shape';

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

test('the health check of the image succeeds when the service is ready, and fails when it is not or not there', async () => {
  let status = 200;
  const asked: (string | undefined)[] = [];
  const server = await startWebServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status).end();
  });
  const check = () =>
    new Promise<number | null>((resolve) =>
      spawn(process.execPath, [join(ROOT, 'scripts', 'healthcheck.mjs')], { env: { PORT: String(server.port) } }).on(
        'exit',
        resolve,
      ),
    );
  expect(await check()).toBe(0);
  status = 503;
  expect(await check()).toBe(1);
  await server.stop();
  expect(await check()).toBe(1);
  expect(asked).toEqual(['/health/ready', '/health/ready']);
});

test('set-image.sh sets the image of an overlay by its digest, and refuses an image without one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-image-'));
  const file = join(folder, 'kustomization.yaml');
  const shipped = await readFile(join(ROOT, 'k8s', 'overlays', 'production', 'kustomization.yaml'), 'utf8');
  await writeFile(file, shipped);
  const digest = `sha256:${'5'.repeat(64)}`;
  // The sed of macOS, in which `-i` takes the next argument for a suffix.
  const otherSed = '#!/bin/sh\ncase "$1" in -i*) exit 1 ;; esac\nPATH=${PATH#*:} exec sed "$@"\n';
  await writeFile(join(folder, 'sed'), otherSed, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const script = join(ROOT, 'k8s', 'set-image.sh');
  const set = (...args: string[]) => promisify(execFile)('sh', [script, folder, ...args], { env });
  await set('nats', `registry.example.org/nats@${digest}`);
  const imagesOf = (text: string) => s.object({ images: s.list(s.anything) }).parse(parse(text)).images;
  expect(imagesOf(await readFile(file, 'utf8'))).toEqual([
    imagesOf(shipped)[0],
    { name: 'nats', newName: 'registry.example.org/nats', digest },
  ]);
  expect((await readFile(file, 'utf8')).split('\nimages:')[0]).toBe(shipped.split('\nimages:')[0]);
  await expect(set('nats', 'registry.example.org/nats:2.10')).rejects.toThrow('is not <repository>@sha256:<digest>');
  await expect(set('redis', `redis@${digest}`)).rejects.toThrow('has no image redis');
  await rm(folder, { recursive: true });
});

test('set-image.sh leaves the overlay whole when it cannot write the new file to its end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batuta-image-'));
  const file = join(folder, 'kustomization.yaml');
  const shipped = await readFile(join(ROOT, 'k8s', 'overlays', 'production', 'kustomization.yaml'), 'utf8');
  await writeFile(file, shipped);
  const script = join(ROOT, 'k8s', 'set-image.sh');
  const onFullDisk = [
    '-c',
    'ulimit -f 1 && exec sh "$@"',
    'sh',
    script,
    folder,
    'nats',
    `nats@sha256:${'5'.repeat(64)}`,
  ];
  await expect(promisify(execFile)('sh', onFullDisk)).rejects.toThrow('Command failed');
  expect(await readFile(file, 'utf8')).toBe(shipped);
  expect(await readdir(folder)).toEqual(['kustomization.yaml']);
  await rm(folder, { recursive: true });
});

const changeInstruction = (image: Image, word: string, before: string, after: string) => {
  const instruction = image.instructions.findLast((one) => one.word === word && one.rest.includes(before));
  if (!instruction) throw new Error(`the Dockerfile has no ${word} with ${before}`);
  instruction.rest = instruction.rest.replace(before, after);
};

const BREAKAGES: Breakage[] = [
  ['baseImages', 'a base image is not pinned', (image) => changeInstruction(image, 'FROM', ':24-bookworm-slim', '')],
  [
    'baseImages',
    'the stages have different Debians',
    (image) => changeInstruction(image, 'FROM', '24-bookworm-slim', '24-trixie-slim'),
  ],
  ['finalStageOnly', 'it ships compilers', (image) => changeInstruction(image, 'FROM', '-slim', '')],
  ['finalStageOnly', 'it runs as root', (image) => changeInstruction(image, 'USER', '10001:10001', 'root')],
  ['finalStageOnly', 'it names its user', (image) => changeInstruction(image, 'USER', '10001:10001', 'node')],
  ['finalStageOnly', 'it installs packages', (image) => image.instructions.push({ word: 'RUN', rest: 'npm install' })],
  ['finalStageOnly', 'it contains the sources', (image) => image.instructions.push({ word: 'COPY', rest: '. .' })],
  [
    'healthCheck',
    'nobody asks whether the service is ready',
    (image) => changeInstruction(image, 'HEALTHCHECK', '["node", "healthcheck.mjs"]', 'true'),
  ],
  [
    'healthCheck',
    'the script is missing',
    (image) => changeInstruction(image, 'COPY', 'scripts/healthcheck.mjs ./', 'dist/x ./'),
  ],
  [
    'agentKeyFolder',
    'the folder of the agent belongs to another user',
    (image) => changeInstruction(image, 'RUN', '-o 10001', '-o root'),
  ],
  [
    'agentKeyFolder',
    'the agent uses another folder',
    (image) => changeInstruction(image, 'ENV', '/var/lib/batuta-agent', '/agent/state'),
  ],
  ['buildContext', 'everything is sent to the builder', (image) => image.ignored.shift()],
  [
    'buildContext',
    'a folder does not reach the builder',
    (image) => changeInstruction(image, 'COPY', 'libs libs', 'docs docs'),
  ],
  ['buildContext', 'secrets reach the builder', (image) => image.ignored.push('!.env')],
  [
    'packages',
    'a program loads a development dependency',
    (image) => (image.productionDependencies = image.productionDependencies.slice(1)),
  ],
];

test.each(BREAKAGES)('the rule %s for the image detects that %s', (rule, _what, breakIt) => {
  const image = readImage();
  breakIt(image);
  expect(imageRules[rule](image)).not.toEqual([]);
});

test('every rule for the image has a test in which it fails', () => {
  const broken = new Set<string>(BREAKAGES.map(([rule]) => rule));
  expect(Object.keys(imageRules).filter((rule) => !broken.has(rule))).toEqual([]);
});
