/** The Project and the Environment of a manifest. */
import { findConfigurationRevision } from '../../../../storage/delivery/configuration-revisions.ts'
import { snapshotOf } from '../../../delivery/configuration-revisions/snapshot.ts'
import { environmentAddress } from '../../../tenancy/environments/actor.ts'
import { differing, type Planning } from '../step.ts'

export async function planPlace(planning: Planning): Promise<void> {
  const { parts, manifest, standing, steps, issues, kind } = planning
  const { slug, name } = manifest.project
  const { project, environment } = standing
  const change = { kind: 'project', name: slug, environment: null } as const
  if (!project) {
    steps.push({ change: { ...change, action: 'create', differences: [] }, permissions: ['projects:create'] })
  } else {
    if (project.status !== 'active') {
      issues.push({ path: '/project', message: `The Project is ${project.status}; nothing can be deployed in it.` })
    }
    const differences = name === undefined ? [] : differing('/name', project.name, name)
    steps.push({
      change: { ...change, action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(differences.length > 0 && {
        permissions: ['projects:update'] as const,
        write: (writer) => writer.renameProject(name as string),
      }),
    })
  }
  const may = (command: 'admitDeployment' | 'activate') =>
    environment !== null &&
    parts.actors.hasRow(
      { address: environmentAddress(environment.id), state: environment.state, row: environment },
      command,
    )
  const isOpen = may('admitDeployment')
  if (environment && !isOpen && !may('activate')) {
    issues.push({ path: '/project', message: `The Environment ${kind} is ${environment.state}.` })
  }
  const differences = [
    ...(isOpen ? [] : differing('/lifecycle', environment?.state ?? 'provisioning', 'active')),
    ...((await hasOtherConfiguration(planning)) ? [{ path: '/configuration', shortened: false }] : []),
  ]
  steps.push({
    change: {
      kind: 'environment',
      name: kind,
      environment: kind,
      action: differences.length > 0 ? 'update' : 'unchanged',
      differences,
    },
    ...(!isOpen && { permissions: ['projects:update'] as const, write: (writer) => writer.openEnvironment() }),
  })
}

/** Whether the configuration of the Environment differs from that of the active Deployment. */
async function hasOtherConfiguration({ parts: { store }, standing }: Planning): Promise<boolean> {
  const { environment, serving } = standing
  if (!environment || !serving) return false
  const { organization_id: organizationId, project_id: projectId, id: environmentId } = environment
  const { configuration_revision_id: id } = serving.deployment
  const deployed = await store.first(findConfigurationRevision(store, { organizationId, environmentId, id }))
  return (await snapshotOf(store, { organizationId, projectId, environmentId }))?.content !== deployed?.content
}
