import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { OCR_PACKAGES } from '../../../apps/agent/src/ocr/installation';
import * as s from '../shape';
import { splitImage } from './kustomize';
import { ROOT } from './settings';

/** An instruction of the Dockerfile, on one line: its first word, such as COPY, and the rest. */
export interface Instruction {
  word: string;
  rest: string;
}

/** What the rules of the image read: Dockerfile, .dockerignore and package.json. */
export interface Image {
  instructions: Instruction[];
  /** Lines of .dockerignore, without comments and empty lines. */
  ignored: string[];
  /** The dependencies of package.json without those for development; the image has these and their own dependencies. */
  productionDependencies: string[];
}

/** Returns the problems of the image, one line each; none when it follows the rule. */
type ImageRule = (image: Image) => string[];

export function readImage(): Image {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return {
    instructions: instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')),
    ignored: joinedLines(readFileSync(join(ROOT, '.dockerignore'), 'utf8')),
    productionDependencies: Object.keys(
      s.object({ dependencies: s.dictionary(s.text()) }).parse(manifest).dependencies,
    ),
  };
}

function instructionsOf(text: string): Instruction[] {
  return joinedLines(text).map((line) => {
    const [word = '', ...rest] = line.split(' ');
    return { word, rest: rest.join(' ') };
  });
}

function joinedLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

function finalStage({ instructions }: Image): Instruction[] {
  return instructions.slice(instructions.findLastIndex(({ word }) => word === 'FROM'));
}

/** All stages have the same version of Node and of Debian, because compiled packages are copied from one stage to another. */
const baseImagesRule: ImageRule = ({ instructions }) => {
  const from = instructions.filter(({ word }) => word === 'FROM').map(({ rest }) => rest.split(' ')[0] ?? '');
  const external = from.filter((name) => name.includes(':') || name === 'node').map(splitImage);
  const releases = new Set(external.map(({ name, tag }) => `${name}:${tag?.replace('-slim', '')}`));
  return [
    ...external.flatMap(({ name, tag }) => (tag === undefined || tag === 'latest' ? [`${name} is not pinned`] : [])),
    ...(releases.size === 1 ? [] : [`stages differ: ${[...releases].join(', ')}`]),
  ];
};

/** The final stage only copies files: no package manager runs in it. Its user is given as a number other than 0. */
const finalStageOnlyRule: ImageRule = (image) => {
  const stage = finalStage(image);
  const user = stage.find(({ word }) => word === 'USER')?.rest ?? '';
  return [
    ...(stage[0]?.rest.endsWith('-slim') ? [] : ['the final stage is not the slim image']),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(user) ? [] : [`the user "${user}" may be root`]),
    ...stage.flatMap(({ word, rest }) => (word === 'RUN' ? [`the final stage runs ${rest}`] : [])),
    ...stage.flatMap(({ word, rest }) =>
      word === 'COPY' && !/^--from=|^package\.json /.test(rest) ? [`the final stage takes ${rest}`] : [],
    ),
  ];
};

/** The health check is a script in the image that asks the service whether it is ready; the slim base image has no curl. */
const healthCheckRule: ImageRule = (image) => {
  const stage = finalStage(image);
  const check = stage.find(({ word }) => word === 'HEALTHCHECK')?.rest ?? '';
  const [, script = ''] = / CMD \["node", "([\w.]+)"\]$/.exec(check) ?? [];
  const taken = stage.some(({ word, rest }) => word === 'COPY' && rest.endsWith(`scripts/${script} ./`));
  return script !== '' && taken ? [] : ['the image has no health check, or one without its script'];
};

function stageOf({ instructions }: Image, name: string): Instruction[] {
  const begin = instructions.findIndex(({ word, rest }) => word === 'FROM' && rest.endsWith(` AS ${name}`));
  const length = instructions.slice(begin + 1).findIndex(({ word }) => word === 'FROM');
  return instructions.slice(begin, begin + 1 + length);
}

/** The image of the agent has a folder for the agent's own key that only the user of the agent may use. */
const agentKeyFolderRule: ImageRule = (image) => {
  const stage = stageOf(image, 'agent');
  const wordsOf = (instruction: string) => stage.find(({ word }) => word === instruction)?.rest.split(' ') ?? [];
  const [user, group] = wordsOf('USER')[0]?.split(':') ?? [];
  const setting = 'BATUTA_AGENT_STATE_FOLDER=';
  const folder = wordsOf('ENV')
    .find((word) => word.startsWith(setting))
    ?.slice(setting.length);
  const wanted = `install -d -m 700 -o ${user} -g ${group} ${folder}`;
  return folder && wordsOf('RUN').join(' ') === wanted ? [] : [`the image of the agent does not run ${wanted}`];
};

/** `.dockerignore` lets through the paths that COPY takes from the checkout, and no others. */
const buildContextRule: ImageRule = ({ instructions, ignored }) => {
  const taken = instructions
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return [
    ...(ignored[0] === '*' ? [] : ['.dockerignore lets everything through']),
    ...taken.flatMap((path) => (allowed.includes(path) ? [] : [`.dockerignore keeps ${path} back`])),
    ...allowed.flatMap((path) => (taken.includes(path) ? [] : [`${path} is let through, but no COPY takes it`])),
  ];
};

const WEB_SOURCES = join(ROOT, 'apps', 'console-web');

const IMPORTED_PACKAGE =
  /^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^'.][^']*)'|(?:^import\s+|\brequire\()'([^'.][^']*)'/gm;

/**
 * Every package that a program loads is a production dependency, except those of OCR: the final stage has no other packages,
 * and an agent works without OCR.
 */
const packagesRule: ImageRule = ({ productionDependencies }) => {
  const missing = ['apps', 'libs']
    .flatMap((folder) => sourceTextsIn(join(ROOT, folder)))
    // Leaves the web pages out: the build bundles their packages into the files that browsers load.
    .filter((file) => !file.startsWith(WEB_SOURCES))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(IMPORTED_PACKAGE)]
        .map(([, from, loaded]) => packageOf(from ?? loaded ?? ''))
        .filter((name) => !isOwnPackage(name) && !productionDependencies.includes(name) && !OCR_PACKAGES.includes(name))
        .map((name) => `${file.slice(ROOT.length + 1)} loads ${name}, which the image lacks`),
    );
  return [...new Set(missing)];
};

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

const isOwnPackage = (name: string) =>
  name.startsWith('node:') || name.startsWith('@batuta/') || builtinModules.includes(name);

function sourceTextsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.[jt]s$/.test(name) && !name.endsWith('.test.ts'))
    .filter(({ parentPath }) => !parentPath.endsWith('/test'))
    .map(({ name, parentPath }) => join(parentPath, name));
}

export const imageRules = {
  baseImages: baseImagesRule,
  finalStageOnly: finalStageOnlyRule,
  healthCheck: healthCheckRule,
  agentKeyFolder: agentKeyFolderRule,
  buildContext: buildContextRule,
  packages: packagesRule,
};
