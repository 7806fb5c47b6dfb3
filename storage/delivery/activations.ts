/** Activations: the active Deployment of an Environment, by generation. Source: contract 3. */
import { type ExpressionBuilder, sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

const activations = rowsOf('activations', 'id')

export const insertActivation = activations.insert()

export const findActivation = activations.find('id', 'environment_id', 'organization_id')

/** Newest first, below this generation. */
export const listActivations = activations.newest('generation', 'environment_id', 'organization_id')

/** Whether a pin of a Release is broken: its Agent or Definition was deleted or is being deleted. */
const leadsNowhere = ({ and, not, exists, selectFrom, ref }: ExpressionBuilder<Tables, 'release_pins'>) =>
  and([
    not(
      exists(
        selectFrom('agents')
          .select('agents.id')
          .where('agents.id', '=', ref('release_pins.resource_id'))
          .where(sql<boolean>`agents.status = 'active'`),
      ),
    ),
    not(
      exists(
        selectFrom('definitions')
          .select('definitions.id')
          .where('definitions.id', '=', ref('release_pins.resource_id'))
          .where(sql<boolean>`definitions.status = 'active'`),
      ),
    ),
  ])

/** Agents and Definitions of the Release that were deleted or are being deleted. */
export const listDeletedPins = query((db, values: { releaseId: string; limit: number }) =>
  db
    .selectFrom('release_pins')
    .select('resource_id')
    .where('release_id', '=', values.releaseId)
    .where((builder) => leadsNowhere(builder))
    .orderBy('resource_id')
    .limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` if an Agent or Definition of the Deployment's Release was deleted. */
export const everythingPinnedStays = write(
  (db, values: { deploymentId: string }) =>
    db
      .updateTable('deployments')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.deploymentId)
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom('release_pins')
              .select('release_pins.resource_id')
              .where('release_pins.release_id', '=', ref('deployments.release_id'))
              .where((builder) => leadsNowhere(builder as never)),
          ),
        ),
      ),
  1,
)
