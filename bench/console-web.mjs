import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
// Switches off what Chromium loads for its own interface with each new window: in users' browsers, which run already, that is not part of a page's time.
import { DISABLED_FEATURES_ARGUMENT } from '../dist/apps/agent/src/connectors/browser/chromium-features.js';
import passwordHasher from '../dist/apps/console/src/sessions/password-hasher.js';
import { ensureBrowser } from '../scripts/lib/servers.cjs';
import { barLine, busyWarning, table } from './report.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { startServices } from './programs.mjs';
import { startServers } from './servers.mjs';
import { median, quantile } from './statistics.mjs';
import { busyShare } from './usage.mjs';
import { makeCompany } from './world.mjs';

/** The bars of docs/bench.md: the median time until a page can be used at its first load, and the memory of the console at any time. */
const MAX_USABLE_MS = 1_000;
const MAX_MEGABYTES = 150;
const PAGES_AT_ONCE = 20;
const MEMORY_SAMPLE_INTERVAL_MS = 50;
const ACTION_TIME_LIMIT_MS = 120_000;
const PASSWORD = 'of the console bench';
const FLOW_STEP_COUNT = 12;

/**
 * Measures how long pages of the console take in a real browser until they can be used, and the memory of the console service while many pages
 * are opened at once. Returns the results for `consoleWebToText`.
 */
export async function runConsoleWeb({ options, say, signal }) {
  const busy = await busyShare();
  return withRunningPrograms(signal, async (running) => {
    say('Starting MariaDB, NATS, the services and Chromium …');
    const servers = await startServers();
    running.push(servers);
    const services = await startServices(servers, {});
    running.push(...Object.values(services));
    const browser = await chromium.launch({
      executablePath: await ensureBrowser(),
      chromiumSandbox: false,
      args: [DISABLED_FEATURES_ARGUMENT],
    });
    running.push({ stop: () => browser.close() });
    const console = services.console;
    const { login, pid } = await makeOwner(servers.database, console.url);
    const pages = pagesOf(pid);
    const open = (context, page) => openPage(context, console.url, page);
    const contexts = () => newContext(browser, console.url, login);
    const memoryBefore = sizeMegabytes(console.pid, 'VmRSS');
    const times = await measureTimes({ pages, contexts, open, options, say });
    say(`Measuring the memory of the console while ${PAGES_AT_ONCE} pages are opened at once …`);
    const memory = { before: memoryBefore, peak: await peakWhileOpening({ console, pages, contexts, open }) };
    memory.ever = sizeMegabytes(console.pid, 'VmHWM');
    return { busy, times, memory, openings: options.openings, bars: barsOf(times, memory) };
  });
}

/** The measured pages. A page can be used when its heading and its `content` are there and no part of it is still being loaded. */
function pagesOf(pid) {
  return [
    { name: 'home', path: '/', content: 'main section table, main section li' },
    { name: 'flow editor', path: `/processes/${pid}/flow`, content: 'main .react-flow__node' },
  ];
}

/** Opens the pages in turns. Cold = the browser's cache has nothing of the console; warm = the same user opens the page again. */
async function measureTimes({ pages, contexts, open, options, say }) {
  const times = pages.map(({ name }) => ({ name, cold: [], warm: [], requests: 0, kilobytes: 0 }));
  // Opening 0 fills the caches of the service and of the operating system, and does not count.
  for (let opening = 0; opening <= options.openings; opening++) {
    if (opening > 0) say(`Opening ${opening} of ${options.openings} …`);
    for (const [index, page] of pages.entries()) {
      const context = await contexts();
      const [cold, warm] = [await open(context, page), await open(context, page)];
      await context.close();
      if (opening === 0) continue;
      times[index].cold.push(cold.usable);
      times[index].warm.push(warm.usable);
      Object.assign(times[index], { requests: cold.requests, kilobytes: cold.kilobytes });
    }
  }
  return times;
}

async function newContext(browser, baseURL, login) {
  const context = await browser.newContext({ baseURL, locale: 'pt-BR', viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(ACTION_TIME_LIMIT_MS);
  await context.request.post('/manage/v1/session', { data: login });
  return context;
}

/** Opens a page in a new tab: milliseconds from the navigation until it can be used, by the clock of the page, and what it loaded over the network. */
async function openPage(context, url, { path, content }) {
  const page = await context.newPage();
  await page.addInitScript(watchUntilUsable, content);
  await page.goto(`${url}${path}`);
  const opened = await page.evaluate(() => window.usable);
  await page.close();
  return opened;
}

/** Runs in the page, before its own scripts, and resolves `window.usable` when the page can be used. */
function watchUntilUsable(content) {
  window.usable = new Promise((resolve) => {
    const isUsable = () =>
      document.querySelector('h1') && document.querySelector(content) && !document.querySelector('[aria-busy="true"]');
    const observer = new MutationObserver(() => {
      if (!isUsable()) return;
      observer.disconnect();
      // Waits for the next frame, so that the page is also painted.
      requestAnimationFrame(() => setTimeout(() => resolve(measurement())));
    });
    observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['aria-busy'] });
  });
  function measurement() {
    const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const bytes = files.reduce((sum, { transferSize }) => sum + transferSize, 0);
    return { usable: performance.now(), requests: files.length, kilobytes: bytes / 1024 };
  }
}

/** The most resident memory of the console, in megabytes, while PAGES_AT_ONCE users open a page each at the same time. */
async function peakWhileOpening({ console, pages, contexts, open }) {
  const all = await Promise.all(Array.from({ length: PAGES_AT_ONCE }, contexts));
  let peak = 0;
  const look = setInterval(
    () => (peak = Math.max(peak, sizeMegabytes(console.pid, 'VmRSS'))),
    MEMORY_SAMPLE_INTERVAL_MS,
  );
  try {
    await Promise.all(all.map((context, index) => open(context, pages[index % pages.length])));
  } finally {
    clearInterval(look);
    await Promise.all(all.map((context) => context.close()));
  }
  return Math.max(peak, sizeMegabytes(console.pid, 'VmRSS'));
}

/** A size of a process in megabytes (2^20 bytes), by its name in /proc/<pid>/status: VmRSS = resident now, VmHWM = most since the start. Linux only. */
function sizeMegabytes(pid, name) {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Creates a company whose owner can log in, with a flow of several steps and a queued run; returns the login and the id of the process. */
async function makeOwner(database, url) {
  const company = await makeCompany(database);
  const { account_id: accountID } = company.owner;
  const passwordHash = await new passwordHasher.PasswordHasher().hash(PASSWORD);
  await database.query('UPDATE account SET password_hash = ? WHERE account_id = ?', [passwordHash, accountID]);
  const [[{ email }]] = await database.query('SELECT email FROM account WHERE account_id = ?', [accountID]);
  const login = { email, password: PASSWORD };
  const session = await call(url, 'POST', '/session', { body: login });
  const cookie = session.headers
    .getSetCookie()
    .map((text) => text.split(';', 1)[0])
    .join('; ');
  const pid = company.queued.processID;
  await call(url, 'PUT', `/processes/${pid}/flow`, { cookie, body: flowOf(FLOW_STEP_COUNT) });
  await call(url, 'POST', `/processes/${pid}/run`, { cookie, body: {} });
  return { login, pid };
}

function flowOf(count) {
  const name = (index) => `Step ${index + 1}`;
  const steps = Array.from({ length: count }, (_, index) => ({
    name: name(index),
    type: 'variables',
    ...(index + 1 < count && { routes: [{ to: name(index + 1) }] }),
  }));
  return { start: name(0), steps };
}

async function call(url, method, path, { cookie, body }) {
  const headers = { 'Content-Type': 'application/json', ...(cookie && { Cookie: cookie }) };
  const answer = await fetch(`${url}/manage/v1${path}`, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

function barsOf(times, { ever }) {
  const usable = times.map(({ name, cold }) => ({
    bar: `${name}: usable within ${MAX_USABLE_MS} ms at the first load, median`,
    measured: `${median(cold).toFixed(0)} ms`,
    reached: median(cold) <= MAX_USABLE_MS,
  }));
  const memory = {
    bar: `the console under ${MAX_MEGABYTES} MB at any time since its start`,
    measured: `${ever.toFixed(0)} MB`,
    reached: ever < MAX_MEGABYTES,
  };
  return [...usable, memory];
}

/** The results of `runConsoleWeb` as text. */
export function consoleWebToText({ busy, times, memory, openings, bars }) {
  const row = (name, cache, numbers, more) => [
    name,
    cache,
    median(numbers).toFixed(0),
    quantile(numbers, 0.95).toFixed(0),
    ...more,
  ];
  return [
    `${openings} openings each`,
    ...busyWarning(busy),
    '',
    'Until a page can be used',
    ...table(
      ['page', 'cache', 'median ms', 'p95 ms', 'requests', 'KB'],
      times.flatMap(({ name, cold, warm, requests, kilobytes }) => [
        row(name, 'cold', cold, [String(requests), kilobytes.toFixed(0)]),
        row(name, 'warm', warm, ['', '']),
      ]),
    ),
    '',
    `Memory of the console, MB: ${memory.before.toFixed(0)} before, ${memory.peak.toFixed(0)} at most while ${PAGES_AT_ONCE} pages are opened at once, ${memory.ever.toFixed(0)} at most since its start`,
    '',
    ...bars.map(barLine),
  ].join('\n');
}
