/** Inserts an entity directly into the store of a running server. */
import { newId } from '../../../storage/ids.ts'
import { openRows } from '../../support/world/rows.ts'

interface Ground {
  organization: string
  project: string
  environment: string
  definitionRevision: string
}

/** Inserts an entity of this type in its initial state `open`, and returns its id. */
export function plantEntity(file: string, ground: Ground, type: string): string {
  const store = openRows(file)
  const id = newId('ent')
  const at = Date.now()
  const states = JSON.stringify({ initial: 'open', states: { open: {} } })
  store.run('insert into entity_charts values (?, ?, ?)', ground.environment, ground.definitionRevision, states)
  store.run(
    `insert into entities (id, organization_id, project_id, environment_id, type, definition_revision_id, state, version,
       machine_version, context, entity_version, data, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, 'open', 1, '1', '{"version":1}', 1, '{}', ?, ?)`,
    ...[id, ground.organization, ground.project, ground.environment, type, ground.definitionRevision, at, at],
  )
  store.run(
    `insert into transitions (kind, actor_id, sequence, from_state, to_state, event, by_type, by_id, attempt, at)
     values ('entity', ?, 1, null, 'open', 'create', 'user', 'usr_', 0, ?)`,
    id,
    at,
  )
  store.close()
  return id
}
