/** Consent flows that have come back: each one comes back once. Source: contract 4, "single use". */
import { query, write } from '../statement.ts'
import type { OAuthFlowUsedRow } from '../tables.ts'

/** Uses a flow up. `UniqueViolation`: somebody did already. */
export const insertUsedFlow = write((db, row: OAuthFlowUsedRow) => db.insertInto('oauth_flows_used').values(row))

/** Flows that would be refused for their age. */
export const listEndedFlows = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('oauth_flows_used')
    .select('state_hash')
    .where('expires_at', '<=', values.now)
    .orderBy('expires_at')
    .limit(values.limit),
)

export const deleteEndedFlow = write((db, values: { stateHash: string; now: number }) =>
  db.deleteFrom('oauth_flows_used').where('state_hash', '=', values.stateHash).where('expires_at', '<=', values.now),
)
