/** Consent flows that have come back: each one comes back once. Source: contract 4, "single use". */
import { rowsOf } from '../rows.ts'
import { write } from '../statement.ts'

const oauthFlowsUsed = rowsOf('oauth_flows_used', 'state_hash')

/** Uses a flow up. `UniqueViolation`: it is used up already. */
export const insertUsedFlow = oauthFlowsUsed.insert()

/** Flows that would be refused for their age. */
export const listEndedFlows = oauthFlowsUsed.only('state_hash').due('expires_at')

export const deleteEndedFlow = write((db, values: { stateHash: string; now: number }) =>
  db.deleteFrom('oauth_flows_used').where('state_hash', '=', values.stateHash).where('expires_at', '<=', values.now),
)
