/**
 * Versioned, forward-only migrations, each applied in a transaction and never edited once merged. A store may have had one
 * before another with a lower number, where that one was merged later: what a store has not had is applied, lowest first.
 */
import type { Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StoreRefused } from './errors.ts'
import * as tenants from './migrations/0001-tenants.ts'
import * as actors from './migrations/0002-actors.ts'
import * as runs from './migrations/0003-runs.ts'
import * as tenancy from './migrations/0004-tenancy.ts'
import * as removal from './migrations/0005-removal.ts'
import * as secrets from './migrations/0006-secrets.ts'
import * as delivery from './migrations/0007-delivery.ts'
import * as history from './migrations/0008-history.ts'
import * as webhooks from './migrations/0009-webhooks.ts'
import * as integrations from './migrations/0010-integrations.ts'
import * as oauth from './migrations/0011-oauth.ts'
import * as invocations from './migrations/0012-invocations.ts'
import * as workflows from './migrations/0013-workflows.ts'
import * as jobs from './migrations/0014-jobs.ts'
import * as entities from './migrations/0015-entities.ts'
import * as billing from './migrations/0016-billing.ts'
import * as usage from './migrations/0017-usage.ts'
import * as retention from './migrations/0018-retention.ts'
import * as runTallies from './migrations/0019-run-tallies.ts'
import * as contentRetention from './migrations/0020-content-retention.ts'
import * as deadLetters from './migrations/0021-dead-letters.ts'
import * as accounts from './migrations/0022-accounts.ts'
import * as sessionsAndKeys from './migrations/0023-sessions-and-keys.ts'
import * as auditCounts from './migrations/0024-audit-counts.ts'
import * as runCounts from './migrations/0025-run-counts.ts'
import * as runnerPools from './migrations/0026-runner-pools.ts'
import * as textPieces from './migrations/0027-text-pieces.ts'
import * as entityCounts from './migrations/0028-entity-counts.ts'
import * as readiness from './migrations/0029-readiness.ts'
import * as deployedCredentials from './migrations/0030-deployed-credentials.ts'
import * as revokedCredentialVersions from './migrations/0031-revoked-credential-versions.ts'
import * as webhookRecovery from './migrations/0032-webhook-recovery.ts'
import * as usageShares from './migrations/0033-usage-shares.ts'
import * as backgroundWork from './migrations/0034-background-work.ts'
import * as listsAndCounts from './migrations/0035-lists-and-counts.ts'
import * as inputArtifacts from './migrations/0036-input-artifacts.ts'
import * as notices from './migrations/0037-notices.ts'
import { withoutReferences } from './sqlite/fragments.ts'
import type { Store } from './store.ts'

/** All of them, oldest first. */
export const migrations: Record<string, Migration> = {
  '0001-tenants': tenants,
  '0002-actors': actors,
  '0003-runs': runs,
  '0004-tenancy': tenancy,
  '0005-removal': removal,
  '0006-secrets': secrets,
  '0007-delivery': delivery,
  '0008-history': history,
  '0009-webhooks': webhooks,
  '0010-integrations': integrations,
  '0011-oauth': oauth,
  '0012-invocations': invocations,
  '0013-workflows': workflows,
  '0014-jobs': jobs,
  '0015-entities': entities,
  '0016-billing': billing,
  '0017-usage': usage,
  '0018-retention': retention,
  '0019-run-tallies': runTallies,
  '0020-content-retention': contentRetention,
  '0021-dead-letters': deadLetters,
  '0022-accounts': accounts,
  '0023-sessions-and-keys': sessionsAndKeys,
  '0024-audit-counts': auditCounts,
  '0025-run-counts': runCounts,
  '0026-runner-pools': runnerPools,
  '0027-text-pieces': textPieces,
  '0028-entity-counts': entityCounts,
  '0029-readiness': readiness,
  '0030-deployed-credentials': deployedCredentials,
  '0031-revoked-credential-versions': revokedCredentialVersions,
  '0032-webhook-recovery': webhookRecovery,
  '0033-usage-shares': usageShares,
  '0034-background-work': backgroundWork,
  '0035-lists-and-counts': listsAndCounts,
  '0036-input-artifacts': inputArtifacts,
  '0037-notices': notices,
}

/** The migrations that the store has had, oldest first. */
async function applied(db: Kysely<unknown>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const rows = await (db as Kysely<{ kysely_migration: { name: string } }>)
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

/** Brings the store up to this program. Throws `StoreRefused` when the store is newer or damaged, or a migration fails. */
export async function migrate(store: Store, known: Record<string, Migration> = migrations): Promise<void> {
  const db = store.db as unknown as Kysely<unknown>
  let done: string[]
  try {
    done = await applied(db)
  } catch (cause) {
    throw new StoreRefused(`The store cannot be read: ${(cause as Error).message}`, { cause })
  }
  const unknown = done.filter((name) => !(name in known))
  if (unknown.length > 0) {
    throw new StoreRefused(
      `The store is newer than this program: it has had the migration ${unknown.at(-1)}, which is not known here. Start a newer Troupe, or restore a backup.`,
    )
  }
  if (done.length === Object.keys(known).length) return
  const provider = { getMigrations: async () => known }
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true })
  const { error, results } = await withoutReferences(db, () => migrator.migrateToLatest())
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreRefused(
      failed ? `The migration ${failed} of the store failed: ${reason}` : `The store cannot be migrated: ${reason}`,
      { cause: error },
    )
  }
}
