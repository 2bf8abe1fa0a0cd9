import { randomUUID } from 'node:crypto';
import { logInOperator, makeEnvironment, makeTenant } from '../abuse/world.mjs';

/** More credits than a run uses. */
export const MONTHLY_CREDITS = 1_000_000;
/**
 * The Secreto of every start. Each effect must contain it, which proves that all services on its way, those that seal it included, agree
 * about its form.
 */
export const SECRET = 'token-0123456789';

/**
 * A company with one environment, one process whose flow has one effect, and a webhook; `waiting`: its calls wait for the answer of
 * the flow.
 */
export async function makeWorld({ http, cluster, effects, waiting = false }) {
  const { console, operator } = cluster;
  const callAsOperator = await logInOperator({ http, console, operator });
  const plan = { monthlyCredits: MONTHLY_CREDITS, requestsPerMinute: 1_000_000 };
  const tenant = await makeTenant({ http, console, callAsOperator, name: 'Chaos', plan });
  const [{ token }] = tenant.accounts;
  const { environmentID, activationKey } = await makeEnvironment(tenant, { capacity: 300 });
  const { processID } = await tenant.manage('POST', '/processes', {
    processName: `Orders ${randomUUID()}`,
    description: '',
    avgHumanTime: '00:10:00',
    avgOperatorCost: 30,
    environmentID,
    matrix: [
      { name: 'order', type: 'Texto', default: '' },
      { name: 'token', type: 'Secreto', default: '' },
    ],
  });
  await tenant.manage('PATCH', `/processes/${processID}`, { apiPermission: 'LIBERADO' });
  await tenant.manage('PUT', `/processes/${processID}/flow`, flowWith(effects, waiting));
  await tenant.manage('POST', `/processes/${processID}/publish`);
  const { value: processKey } = await tenant.manage('POST', `/processes/${processID}/keys`, { identifier: 'ERP' });
  const { prodUrl } = await tenant.manage('POST', `/processes/${processID}/origins`, {
    name: 'Shop',
    responseMode: waiting ? 'Aguardar' : 'Imediata',
    waitSeconds: waiting ? 120 : 30,
  });
  return {
    companyID: tenant.companyID,
    processID,
    processKey,
    activationKey,
    token,
    credential: tenant.credential,
    hookUrl: prodUrl,
    values: { token: SECRET },
    others: [{ kind: 'console', url: `${console}/manage/v1/processes/${processID}`, bearer: token }],
  };
}

/** Short waits, so that a kill finds instances before, in and after the effect. */
function flowWith({ url }, waiting) {
  const seconds = 0.2;
  const answer = { name: 'Answer', type: 'webhookResponse', code: 201, body: '{"order":{{matrix.order}}}' };
  return {
    start: 'Take',
    steps: [
      { name: 'Take', type: 'wait', seconds, routes: [{ to: 'Book' }] },
      {
        name: 'Book',
        type: 'rest',
        method: 'POST',
        url: `${url}/{instanceID}/{matrix.order}`,
        headers: { 'X-Token': '{matrix.token}' },
        timeoutSeconds: 300,
        routes: [{ to: waiting ? 'Answer' : 'Close' }],
      },
      ...(waiting ? [{ ...answer, routes: [{ to: 'Close' }] }] : []),
      { name: 'Close', type: 'wait', seconds },
    ],
  };
}
