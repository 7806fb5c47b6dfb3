/** The limits for each run of an organization. Source: contract 13, "Budgets". */
import { rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { OrganizationRunLimitsRow } from '../tables.ts'

const runLimits = rowsOf('organization_run_limits', 'organization_id')

export const findRunLimits = runLimits.find()

export const putRunLimits = write((db, row: OrganizationRunLimitsRow) =>
  db
    .insertInto('organization_run_limits')
    .values({ organization_id: row.organization_id, limits: row.limits })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet(({ ref }) => ({ limits: ref('excluded.limits') })),
    ),
)

export const deleteRunLimits = runLimits.remove('organization_id')
