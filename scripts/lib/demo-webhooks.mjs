import { QUOTE_FLOW, QUOTE_MAPPING, QUOTE_MATRIX, QUOTE_ORIGINS, QUOTE_PROCESS } from './demo-quote.mjs';

/**
 * Creates the process that answers webhooks and its two origins with published mappings, or those of them that are missing. `manage` calls
 * the management API as the owner. Returns the URLs.
 */
export async function seedDemoWebhooks(manage, environmentID) {
  const processID = await findOrMakeProcess(manage, environmentID);
  const variables = (await manage('GET', `/processes/${processID}/matrix`)).matrix;
  const immediate = await findOrMakeOrigin(manage, processID, QUOTE_ORIGINS.immediate);
  const waiting = await findOrMakeOrigin(manage, processID, QUOTE_ORIGINS.waiting);
  const published = [
    await saveMapping(manage, immediate.id, variables),
    await saveMapping(manage, waiting.id, variables),
  ];
  if (!published.every(Boolean)) await publish(manage, processID);
  return { devUrl: immediate.devUrl, prodUrl: immediate.prodUrl, waitUrl: waiting.prodUrl };
}

async function findOrMakeProcess(manage, environmentID) {
  const { processes } = await manage('GET', '/processes');
  const found = processes.find(({ processName }) => processName === QUOTE_PROCESS.processName);
  const registration = { ...QUOTE_PROCESS, environmentID, matrix: QUOTE_MATRIX };
  if (!found) return (await manage('POST', '/processes', registration)).processID;
  const { environments } = await manage('GET', '/environments');
  // Somebody may have removed the environment on which the process is registered.
  const isReachable = environments.some((one) => one.environmentID === found.environmentID);
  if (!isReachable) await manage('PATCH', `/processes/${found.processID}`, { environmentID });
  return found.processID;
}

async function findOrMakeOrigin(manage, processID, wanted) {
  const { origins } = await manage('GET', `/processes/${processID}/origins`);
  return (
    origins.find(({ name }) => name === wanted.name) ??
    (await manage('POST', `/processes/${processID}/origins`, wanted))
  );
}

/**
 * Returns whether a mapping of the origin is published. If none is, a mapping is saved, for the publication that follows: the draft of an
 * interrupted run or of a person, or else the demo's mapping.
 */
async function saveMapping(manage, originID, variables) {
  const { unsaved, saved, published } = await manage('GET', `/origins/${originID}/mapping`);
  if (published.length > 0) return true;
  if (unsaved === null && saved.length === 0) {
    const entries = variables
      .filter(({ name }) => name in QUOTE_MAPPING)
      .map(({ name, id }) => ({ pointer: QUOTE_MAPPING[name], variableId: id }));
    await manage('PUT', `/origins/${originID}/mapping/draft`, entries);
  }
  if (unsaved !== null || saved.length === 0) await manage('POST', `/origins/${originID}/mapping/save`);
  return false;
}

async function publish(manage, processID) {
  await manage('PATCH', `/processes/${processID}`, { apiPermission: 'LIBERADO' });
  const { problems } = await manage('PUT', `/processes/${processID}/flow`, QUOTE_FLOW);
  if (problems.length > 0) throw new Error(`the flow of the webhook demo is refused: ${JSON.stringify(problems)}`);
  await manage('POST', `/processes/${processID}/publish`);
}
