// node scripts/helm.mjs: makes the templates of k8s/chart from k8s/overlays/production.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderTemplates, TEMPLATES_FOLDER } from './lib/chart.cjs';

const templates = await renderTemplates();
await rm(TEMPLATES_FOLDER, { recursive: true, force: true });
await mkdir(TEMPLATES_FOLDER, { recursive: true });
for (const [name, text] of Object.entries(templates)) await writeFile(join(TEMPLATES_FOLDER, name), text);
console.log(`Wrote ${Object.keys(templates).length} templates.`);
