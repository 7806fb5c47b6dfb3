/** Data keys and the canary, for `src/platform/secrets/vault.ts`. Source: design 6. */
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { CanaryRow } from '../tables.ts'

const canary = rowsOf('canary', 'id')
const dataKeys = rowsOf('data_keys', 'organization_id')

/** Keeps the existing key if another process inserted one first. */
export const insertDataKey = dataKeys.insertOrKeep()

export const getDataKey = dataKeys.find()

/** Data keys that are wrapped by a master key other than this one. */
export const listDataKeysBeside = query((db, values: { masterKeyId: string; limit: number }) =>
  db.selectFrom('data_keys').selectAll().where('master_key_id', '!=', values.masterKeyId).limit(values.limit),
)

/** One data key for each master key that wraps any. */
export const listDataKeyOfEachMasterKey = query((db, _values: object) =>
  db
    .selectFrom('data_keys')
    .selectAll()
    .where('organization_id', 'in', (chosen) =>
      chosen
        .selectFrom('data_keys')
        .select(({ fn }) => fn.min('organization_id').as('organization_id'))
        .groupBy('master_key_id'),
    ),
)

/** Stores the data key as wrapped by another master key, unless it has been rewrapped meanwhile. */
export const rewrapDataKey = write(
  (db, values: { organizationId: string; from: string; masterKeyId: string; wrapped: string }) =>
    db
      .updateTable('data_keys')
      .set({ master_key_id: values.masterKeyId, wrapped: values.wrapped })
      .where('organization_id', '=', values.organizationId)
      .where('master_key_id', '=', values.from),
)

export const getCanary = query((db, _values: object) => db.selectFrom('canary').selectAll())

export const insertCanary = canary.insertOrKeep()

export const replaceCanary = write((db, values: Omit<CanaryRow, 'id'>) =>
  db.updateTable('canary').set({ master_key_id: values.master_key_id, sealed: values.sealed }).where('id', '=', 1),
)
