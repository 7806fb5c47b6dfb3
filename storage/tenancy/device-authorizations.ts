/** Device authorizations: requests of programs for an API key. Source: contract 10, "CLI". */
import { sql } from 'kysely'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { DeviceAuthorizationRow } from '../tables.ts'

const authorizations = rowsOf('device_authorizations', 'id')

/** Inserts a request; `StaleWrite` if the whole store already has `max`. */
export const insertDeviceAuthorization = write(
  (db, { max, ...row }: DeviceAuthorizationRow & { max: number }) =>
    insertFrom(
      db,
      'device_authorizations',
      row,
      db
        .selectFrom((from) =>
          from.selectFrom('device_authorizations').select(sql<number>`count(*)`.as('count')).as('all_of'),
        )
        .where('all_of.count', '<', max),
    ),
  1,
)

/** The undecided request with the code that the person types. */
export const findWaitingAuthorization = query((db, values: { userCode: string; now: number }) =>
  db
    .selectFrom('device_authorizations')
    .select(['id', 'client_name', 'address', 'created_at', 'expires_at'])
    .where('user_code', '=', values.userCode)
    .where('expires_at', '>', values.now)
    .where('approved_by', 'is', null),
)

/** The request with the program's secret, approved or not. */
export const findAuthorizationOfDevice = query((db, values: { deviceCodeHash: string; now: number }) =>
  db
    .selectFrom('device_authorizations')
    .select(['id', 'client_name', 'organization_id', 'approved_by', 'approved_with', 'new_key'])
    .where('device_code_hash', '=', values.deviceCodeHash)
    .where('expires_at', '>', values.now),
)

interface Approval {
  id: string
  organizationId: string
  approvedBy: string
  approvedWith: string
  newKey: string
  expiresAt: number
}

/** Approves the request; `StaleWrite` if it is already decided. */
export const approveAuthorization = write(
  (db, values: Approval) =>
    db
      .updateTable('device_authorizations')
      .set({
        organization_id: values.organizationId,
        approved_by: values.approvedBy,
        approved_with: values.approvedWith,
        new_key: values.newKey,
        expires_at: values.expiresAt,
      })
      .where('id', '=', values.id)
      .where('approved_by', 'is', null),
  1,
)

/** Consumes the approved request when the program gets its key; `StaleWrite` if already consumed. */
export const spendAuthorization = authorizations.where(({ eb }) => eb('approved_by', 'is not', null)).removeOne()

/** Denies the request; `StaleWrite` if it is already decided. */
export const refuseAuthorization = authorizations.where(({ eb }) => eb('approved_by', 'is', null)).removeOne()

export const listExpiredAuthorizations = authorizations.only('id').due('expires_at')

export const deleteAuthorization = authorizations.remove()
