import type { WebhookUrl } from '@batuta/auth';
import type { Store } from '@batuta/database';

interface HookRow {
  token_hash: Buffer;
  origin_id: string;
  kind: 'dev' | 'prod';
  revoked: number;
  process_id: string;
  company_id: string;
  name: string;
  response_mode: 'Imediata' | 'Aguardar';
  wait_seconds: number;
  enabled: number;
  signed: number;
  api_enabled: number;
  published_version_id: string | null;
  blocked: number;
  suspended: number;
  api_access: number;
  requests_per_minute: number;
}

/** The webhook URLs with the given SHA-256 of their tokens, in the order of the hashes; undefined = no such URL. */
export async function hooksByToken(store: Store, hashes: readonly Buffer[]): Promise<(WebhookUrl | undefined)[]> {
  const rows = await store.rows<HookRow>(
    `SELECT t.token_hash, t.origin_id, t.kind, t.revoked_at IS NOT NULL AS revoked,
            o.process_id, o.name, o.response_mode, o.wait_seconds, o.enabled, o.signature IS NOT NULL AS signed,
            p.company_id, p.api_enabled, p.published_version_id, a.blocked, c.suspended, plan.api_access, plan.requests_per_minute
       FROM origin_token t
       JOIN origin o ON o.origin_id = t.origin_id
       JOIN process p ON p.process_id = o.process_id
       JOIN account a ON a.account_id = p.account_id
       JOIN company c ON c.company_id = p.company_id
       JOIN plan ON plan.plan_id = c.plan_id
      WHERE t.token_hash IN (?)`,
    [hashes],
  );
  const byHash = new Map(rows.map((row) => [row.token_hash.toString('latin1'), toHook(row)]));
  return hashes.map((hash) => byHash.get(hash.toString('latin1')));
}

function toHook(row: HookRow): WebhookUrl {
  return {
    originID: row.origin_id,
    processID: row.process_id,
    companyID: row.company_id,
    kind: row.kind,
    revoked: row.revoked === 1,
    enabled: row.enabled === 1,
    originName: row.name,
    responseMode: row.response_mode,
    waitSeconds: row.wait_seconds,
    signed: row.signed === 1,
    apiEnabled: row.api_enabled === 1,
    ownerActive: row.blocked === 0 && row.suspended === 0,
    apiAccess: row.api_access === 1,
    requestsPerMinute: row.requests_per_minute,
    versionID: row.published_version_id,
  };
}
