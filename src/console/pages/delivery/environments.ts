/** Environments of a Project and their active Deployments. */
import { useRef } from 'react'
import type { Environment as PresentedEnvironment } from '../../../tenancy/environments/schema.ts'
import { type Access, useAccess, useApi } from '../../data/context.ts'
import { type Resource, useReading, useResource } from '../../data/resource.ts'
import { readServed, type Served } from './pinned.ts'

export type Environment = PresentedEnvironment

export const kindNames = { development: 'Development', preview: 'Preview', production: 'Production' }

/** Query shared with the shell's switcher. */
export function useEnvironments(projectId: string, everyMs: number | null = null): Resource<{ items: Environment[] }> {
  const api = useApi()
  return useResource(
    ['environments', projectId],
    (options) => api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: 20 } }),
    { every: everyMs },
  )
}

/** The part of the API below an Environment. */
export const useEnvironmentApi = ({ projectId, id: environmentId }: Pick<Environment, 'projectId' | 'id'>) =>
  useApi().v1.projects({ projectId }).environments({ environmentId })

export function useEnvironment(
  projectId: string,
  environmentId: string,
  everyMs: number | null = null,
): Resource<Environment> {
  const api = useApi()
  return useResource(
    ['environments', projectId, environmentId],
    (options) => api.v1.projects({ projectId }).environments({ environmentId }).get(options),
    { every: everyMs },
  )
}

/** By Environment id; null: no active Deployment. */
export type ServedByEnvironment = ReadonlyMap<string, Served | null>

async function readAll(access: Access, environments: readonly Environment[]): Promise<ServedByEnvironment> {
  const reading = environments.map(async ({ id: environmentId, projectId, activeDeploymentId }) => {
    const served =
      activeDeploymentId === null ? null : await readServed(access, { projectId, environmentId }, activeDeploymentId)
    return [environmentId, served] as const
  })
  return new Map(await Promise.all(reading))
}

/**
 * The active Deployments of these Environments. Pinned data is immutable, so that Deployment ids serve as key; the previous value
 * stays while a new one loads.
 */
export function useServed(environments: readonly Environment[] | undefined): Resource<ServedByEnvironment> {
  const access = useAccess()
  const before = useRef<ServedByEnvironment>(undefined)
  const active = environments?.flatMap(({ id, activeDeploymentId }) => [id, activeDeploymentId])
  const resource = useReading(active ? ['served', ...active] : null, () => readAll(access, environments ?? []))
  before.current = resource.value ?? before.current
  return { ...resource, value: before.current }
}
