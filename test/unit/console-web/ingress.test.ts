import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as s from '../../support/shape';

const ROOT = join(__dirname, '../../..');
const pathShape = s.object({ path: s.text(), backend: s.object({ service: s.object({ name: s.text() }) }) });
const ingressShape = s.object({
  spec: s.object({ rules: s.list(s.object({ http: s.object({ paths: s.list(pathShape) }) })) }),
});

/** The paths that the ingress forwards to the console, where only the API and the pages are public. */
function publicPaths(): string[] {
  return parseAllDocuments(readFileSync(join(ROOT, 'k8s/overlays/production/ingress.yaml'), 'utf8'))
    .flatMap((document) => ingressShape.parse(document.toJS()).spec.rules)
    .flatMap(({ http }) => http.paths)
    .filter(({ backend }) => backend.service.name === 'console')
    .map((one) => one.path);
}

/** The first part of the path of every page. */
function pagePaths(): string[] {
  return globSync('apps/console-web/src/features/*/routes.tsx', { cwd: ROOT })
    .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(/path: '\/([\w-]*)/g)])
    .map(([, first]) => `/${first}`);
}

test('the ingress leads to every page of the console, and to nothing but pages, their files and the API', () => {
  const expected = new Set([...pagePaths(), '/assets', '/downloads', '/favicon.svg', '/manage/v1']);
  expect(publicPaths().toSorted()).toEqual([...expected].toSorted());
});
