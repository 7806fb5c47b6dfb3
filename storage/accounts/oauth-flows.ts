/** Consent flows that have returned; each may return only once. Source: contract 4, "single use". */
import { rowsOf } from '../rows.ts'
import { write } from '../statement.ts'

const oauthFlowsUsed = rowsOf('oauth_flows_used', 'state_hash')

/** Marks a flow as used. `UniqueViolation` if it was used already. */
export const insertUsedFlow = oauthFlowsUsed.insert()

/** Used flows that have expired, so that they would be rejected anyway. */
export const listEndedFlows = oauthFlowsUsed.only('state_hash').due('expires_at')

export const deleteEndedFlow = write((db, values: { stateHash: string; now: number }) =>
  db.deleteFrom('oauth_flows_used').where('state_hash', '=', values.stateHash).where('expires_at', '<=', values.now),
)
