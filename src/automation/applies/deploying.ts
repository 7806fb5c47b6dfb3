/** The Deployment of an Apply: an existing one, or the progress of a new one. */
import type { DeploymentContext } from '../../../machines/deployment.ts'
import { findLastApplied } from '../../../storage/automation/applies.ts'
import { findDeployment } from '../../../storage/delivery/deployments.ts'
import type { ApplyRow, DeploymentRow } from '../../../storage/tables.ts'
import { deploymentAddress } from '../../delivery/deployments/actor.ts'
import type { NewDeployment } from '../../delivery/deployments/schema.ts'
import type { ApplyRequest } from './actor.ts'
import { type Outcome, rejected, sentence } from './outcome.ts'
import type { ApplyParts } from './services.ts'

type Parts = Pick<ApplyParts, 'store' | 'actors'>

/** The Deployment of exactly this target that was requested or applied last, if it can be activated. */
export async function sameDeployment(
  { store, actors }: Parts,
  row: ApplyRow,
  { target }: ApplyRequest,
  { releaseId, configurationRevisionId, credentials }: NewDeployment,
): Promise<string | undefined> {
  // with `current` a new Deployment reads the versions of credentials again
  if (credentials === 'current') return undefined
  const { organization_id: organizationId, environment_id: environmentId } = row
  const last = await store.first(findLastApplied(store, { environmentId }))
  for (const id of [target?.deploymentId, last?.deployment_id]) {
    if (!id) continue
    const found = await store.first<DeploymentRow>(findDeployment(store, { organizationId, environmentId, id }))
    const actor = found && (await actors.read<DeploymentRow>(deploymentAddress(id)))
    const isSame =
      found?.release_id === releaseId &&
      found.configuration_revision_id === configurationRevisionId &&
      (found.credentials === credentials || id === target?.deploymentId)
    if (isSame && actor && actors.hasRow(actor, 'activate')) return id
  }
  return undefined
}

/** The outcome of the Deployment; undefined while it is in progress. */
export async function outcomeOf({ actors }: Parts, deploymentId: string): Promise<Outcome | undefined> {
  const actor = await actors.read<DeploymentRow, DeploymentContext>(deploymentAddress(deploymentId))
  if (!actor) return rejected({ code: 'not_found', message: 'The Deployment is gone.' })
  if (actors.hasRow(actor, 'activate')) return { event: { type: 'deployed', deploymentId } }
  if (actors.hasRow(actor, 'rejected')) return undefined
  const { failure } = actor.context
  if (!failure) return rejected({ code: 'deployment_canceled', message: 'The Deployment was canceled.' })
  const { code, message, issues = [] } = failure
  return rejected({ code, message: issues.length === 0 ? message : `${message} ${sentence(issues)}` })
}
