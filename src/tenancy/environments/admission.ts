/** Checks whether an Environment's statechart accepts a command. Source: contract 2, 3. */

import type { Store } from '../../../storage/store.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { findEnvironment } from '../../../storage/tenancy/environments.ts'
import { type ApiError, environmentNotActive, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type EnvironmentActor, environmentAddress } from './actor.ts'

type Command = 'takeConfiguration' | 'admitDeployment' | 'activateDeployment'

/** The Environment at the path. Throws `notFound`. */
export async function environmentAt(
  store: Store,
  organizationId: string,
  { projectId, environmentId }: { projectId: string; environmentId: string },
): Promise<EnvironmentRow> {
  return orNotFound(await store.first(findEnvironment(store, { organizationId, projectId, id: environmentId })))
}

/** The Environment, if its state has a row for the command. Throws `environment_not_active` (409), `notFound`. */
export async function admittingEnvironment(actors: Actors, id: string, command: Command): Promise<EnvironmentActor> {
  const actor = orNotFound((await actors.read(environmentAddress(id))) as EnvironmentActor | undefined)
  if (!actors.hasRow(actor, command)) throw environmentNotActive(actor.state)
  return actor
}

/** Why an Environment refused a command: its state, or an expectation of the command. */
export async function refusalOf(
  actors: Actors,
  id: string,
  command: Command,
  otherwise: (actor: EnvironmentActor) => ApiError,
): Promise<ApiError> {
  return admittingEnvironment(actors, id, command).then(otherwise, (error: ApiError) => error)
}
