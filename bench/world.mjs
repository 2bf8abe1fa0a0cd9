import { createRequire } from 'node:module';
import { v7 as uuid } from 'uuid';

const require = createRequire(import.meta.url);
const { mintCredential, mintSecret } = require('../dist/libs/auth/src');

const MONTHLY_CREDITS = 100_000_000;
const REQUESTS_PER_MINUTE = 1_000_000_000;
const AGENT_CAPACITY = 1_000;
/** The smallest flow: one step that does nothing. */
const FLOW = { start: 'Only step', steps: [{ name: 'Only step', type: 'variables' }] };
/** A flow that answers its webhook caller with two of the values of the call. */
const ANSWERING_FLOW = {
  start: 'Answer',
  steps: [
    { name: 'Answer', type: 'webhookResponse', code: 201, body: '{"taken":{{matrix.order}},"total":{{matrix.total}}}' },
  ],
};
/** For how long an origin in mode Aguardar lets its caller wait. */
const WAIT_SECONDS = 120;

const VARIABLES = [
  { name: 'customer', type: 'Texto', default: '' },
  { name: 'total', type: 'Moeda', default: 0 },
  { name: 'parcels', type: 'Número', default: 1 },
  { name: 'urgent', type: 'Verdadeiro/Falso', default: false },
  { name: 'tags', type: 'Lista', default: [] },
  { name: 'order', type: 'Objeto', default: {} },
  { name: 'token', type: 'Secreto', default: null },
  { name: 'note', type: 'Texto', default: 'made by the bench' },
];

const VALUES = {
  customer: 'Empório São João',
  total: 'R$ 1.234,56',
  parcels: '3',
  urgent: 'sim',
  tags: ['wholesale', 'fragile, keep cool'],
  order: { number: 4711, items: [{ sku: 'QJ-01', quantity: 2, price: 617.28 }] },
  token: 'order-token-0123456789',
};

/** A start like that of an ERP: seven of the eight variables; one keeps its default. */
export const START_BODY = JSON.stringify({ matrix: VALUES });
/** The same values as the payload of a webhook, each mapped from its field. */
export const HOOK_BODY = JSON.stringify({ event: VALUES });

/**
 * Creates a company with a plan, an owner and a credential, and with two environments, each with a published process that has a key and a webhook:
 * `online` for an agent that the bench connects, and `queued`, to which no agent connects. The rows are written directly to the database, which
 * saves the bench a minute.
 */
export async function makeCompany(database) {
  const connection = await database.getConnection();
  try {
    await connection.beginTransaction();
    const company = await writeCompany(new Writer(connection));
    await connection.commit();
    return company;
  } finally {
    connection.release();
  }
}

/** Inserts rows within the transaction of its connection; `now` is the time of creation of all of them. */
class Writer {
  #connection;
  now = new Date();

  constructor(connection) {
    this.#connection = connection;
  }

  async insert(table, row) {
    await this.#connection.query(`INSERT INTO ${table} SET ?`, [row]);
  }
}

async function writeCompany(writer) {
  const created_at = writer.now;
  const [plan_id, company_id, account_id, credential_id] = [uuid(), uuid(), uuid(), uuid()];
  const plan = { monthly_credits: MONTHLY_CREDITS, log_retention_days: 30, requests_per_minute: REQUESTS_PER_MINUTE };
  await writer.insert('plan', { plan_id, name: plan_id, api_access: 1, scheduling: 1, ...plan, created_at });
  await writer.insert('company', { company_id, name: `Company ${company_id}`, plan_id, created_at });
  const account = { email: `${account_id}@bench.batuta.local`, name: 'Owner', role: 'member', password_hash: '' };
  await writer.insert('account', { account_id, company_id, ...account, created_at });
  const { value: credential, hash: secret_hash } = mintCredential(credential_id);
  await writer.insert('credential', { credential_id, account_id, label: 'ERP', secret_hash, created_at });
  const owner = { account_id, company_id };
  const queued = await writeProcess(writer, owner);
  const online = await writeProcess(writer, owner);
  return { companyID: company_id, owner, credential, queued, online };
}

/**
 * Creates `count` processes of a company in one new environment, each with ANSWERING_FLOW and an origin in mode Aguardar. `activationKey` is
 * for its agent.
 */
export async function makeAnsweringProcesses(database, { owner }, count) {
  const connection = await database.getConnection();
  try {
    await connection.beginTransaction();
    const writer = new Writer(connection);
    const environment = await writeEnvironment(writer, owner);
    const processes = [];
    for (let made = 0; made < count; made++) {
      processes.push(await writeProcess(writer, owner, { environment, flow: ANSWERING_FLOW, mode: 'Aguardar' }));
    }
    await connection.commit();
    return { activationKey: environment.activationKey, processes };
  } finally {
    connection.release();
  }
}

async function writeEnvironment(writer, { account_id, company_id }) {
  const environment_id = uuid();
  const activation = mintSecret('bak');
  await writer.insert('environment', {
    environment_id,
    account_id,
    company_id,
    name: `Plant ${environment_id}`,
    os: 'linux',
    env_type: 'prod',
    offline_flow: 1,
    cancel_queue_on_exception: 0,
    capacity: AGENT_CAPACITY,
    activation_key_hash: activation.hash,
    created_at: writer.now,
  });
  return { environment_id, activationKey: activation.value };
}

async function writeProcess(writer, { account_id, company_id }, { environment, flow = FLOW, mode = 'Imediata' } = {}) {
  const created_at = writer.now;
  const { environment_id, activationKey } = environment ?? (await writeEnvironment(writer, { account_id, company_id }));
  const [process_id, version_id, origin_id] = [uuid(), uuid(), uuid()];
  const variables = VARIABLES.map((variable) => ({ ...variable, id: uuid() }));
  const entries = variables
    .filter(({ name }) => name in VALUES)
    .map(({ name, id }) => ({ pointer: `/event/${name}`, variableId: id }));
  await writer.insert('process', {
    process_id,
    account_id,
    company_id,
    environment_id,
    process_name: 'Orders',
    active: 1,
    api_enabled: 1,
    avg_human_time: '00:10:00',
    avg_operator_cost: 30,
    current_version: 1,
    published_version_id: version_id,
    created_at,
  });
  await writer.insert('process_version', {
    version_id,
    process_id,
    version: 1,
    flow: JSON.stringify(flow),
    mappings: JSON.stringify([{ originID: origin_id, entries }]),
    published_by: account_id,
    published_at: created_at,
  });
  for (const [position, { id, name, type, default: value }] of variables.entries()) {
    const variable = { variable_id: id, process_id, position, name, type, default_value: JSON.stringify(value) };
    await writer.insert('matrix_variable', variable);
  }
  const token = mintSecret('bwh');
  await writer.insert('origin', {
    origin_id,
    process_id,
    name: 'Shop',
    response_mode: mode,
    wait_seconds: WAIT_SECONDS,
    mapping_saved: JSON.stringify(entries),
    created_at,
  });
  await writer.insert('origin_token', { token_hash: token.hash, origin_id, kind: 'prod', created_at });
  const key = mintSecret('bpk');
  await writer.insert('process_key', {
    key_id: uuid(),
    process_id,
    identifier: 'ERP key',
    secret_hash: key.hash,
    created_at,
  });
  return { processID: process_id, processKey: key.value, activationKey, hookToken: token.value };
}
