/** The jobs that go with an organization, a Project or an Agent, with what the runtime has stored for them. */
import { rowsOf } from '../rows.ts'
import { belowEnvironments, type Piece, removeActor, type Values } from '../runtime/removal-piece.ts'
import { query } from '../statement.ts'

const agentJobsRows = rowsOf('agent_jobs', 'id')

const deleteJobItself = agentJobsRows.remove()

export const agentJobs: Piece = {
  kind: 'agent-job',
  keys: {
    ...belowEnvironments((db, values, of) =>
      db
        .selectFrom('environments')
        .innerJoin('agent_jobs', 'agent_jobs.environment_id', 'environments.id')
        .select('agent_jobs.id as key')
        .where(of, '=', values.id)
        .limit(values.limit),
    ),
    agent: query((db, values: Values) =>
      db.selectFrom('agent_jobs').select('id as key').where('agent_id', '=', values.id).limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteJobItself(store, { id }), ...removeActor(store, { kind: 'agent-job', id })],
}
